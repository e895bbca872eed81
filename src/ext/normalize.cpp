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

// What is returned is compared with what was given, as the library describes both: they are equal, and it has no more
// constructors (a library's own idea of a bound may have cost some), or the type is duplicated.
OwnedType normalised(MPI_Datatype type) {
  const layout::LayoutPtr exact = exact_type(type), simple = simplify(exact, is_predefined);
  const std::int64_t count = constructor_count(*exact, is_predefined);
  if (constructor_count(*simple, is_predefined) <= count) {
    OwnedType made = TypeBuilder().build(simple);
    const layout::LayoutPtr again = decode_exactly(made.get());
    if (again != nullptr && constructor_count(*again, is_predefined) <= count && same_type(*exact, *again)) return made;
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
