#ifndef EXAMPLES_APPLICATIONS_VERIFY_H
#define EXAMPLES_APPLICATIONS_VERIFY_H

#include "../halo/halo.h"

/* Fills both arrays with what is known by arithmetic of each site of the field, exchanges twice, and counts the bytes
 * that are wrong anywhere in my padded arrays: own sites must be as they were, halos as their owners have them, and the
 * sites beyond a border as they were. Overwrites the arrays. */
long long wrong_halo_bytes(Halo* halo);

#endif
