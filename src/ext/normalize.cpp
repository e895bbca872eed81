// GAPLESS_Type_normalize.
#include "ext/basic_types.hpp"
#include "ext/constructors.hpp"
#include "ext/error.hpp"
#include "ext/exact_type.hpp"
#include "ext/simplify.hpp"
#include "ext/type_builder.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;
using namespace gapless::ext;

namespace {

bool is_predefined(const layout::Layout& type) {
  return predefined_of(type) != MPI_DATATYPE_NULL;
}

// What is returned is compared with what was given, as the library describes it: the two are equal, or the type is
// duplicated.
OwnedType normalised(MPI_Datatype type) {
  const layout::LayoutPtr exact = exact_type(type), simple = simplify(exact, is_predefined);
  if (constructor_count(*simple, is_predefined) < constructor_count(*exact, is_predefined)) {
    OwnedType made = TypeBuilder().build(simple);
    const layout::LayoutPtr again = decode_exactly(made.get());
    if (again != nullptr && same_type(*exact, *again)) return made;
  }
  return make_dup(type);
}

}  // namespace

int GAPLESS_Type_normalize(MPI_Datatype type, MPI_Datatype* newtype) {
  if (!ready()) return kNotReady;
  if (newtype == nullptr) return raise(MPI_ERR_ARG);
  return guard([=] {
    *newtype = normalised(type).release();
    return MPI_SUCCESS;
  });
}
