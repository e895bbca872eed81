// What the programs with persistent requests share.
#pragma once

#include "counted.hpp"
#include "twin.hpp"

namespace conformance {

// Other data at the same address.
inline void refill(test::Field& field, const test::Field& fresh) {
  const void* const before = field.buffer();
  field = fresh;
  CHECK(field.buffer() == before, "the message moved");
}

// The type lives only while the request is made.
class OwnType {
 public:
  explicit OwnType(const Message& m) { MPI_Type_dup(m.type, &type_); }
  ~OwnType() { MPI_Type_free(&type_); }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

}  // namespace conformance
