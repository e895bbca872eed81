// One description of a datatype, from which its text, its MPI handle and its type map all follow.
// The type map is expanded literally from the constructor's definition in the MPI standard, never asked from MPI.
#pragma once

#include "mpi_handle.hpp"

#include "gapless/gapless.h"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace gapless::lab {

static_assert(sizeof(int) == 4, "the lab's base type MPI_INT is printed and verified as int32");
inline constexpr std::int64_t kIntBytes = 4;

// Byte displacement of every element, in type-map (= packing) order; larger types count as so many elements.
using TypeMap = std::vector<std::int64_t>;

// The engine's own handle, that of a type without MPI; it frees itself.
class EngineType {
 public:
  EngineType() = default;
  EngineType(EngineType&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  EngineType& operator=(EngineType&& other) noexcept;
  ~EngineType();
  gapless_type handle() const { return handle_; }
  gapless_type* address() { return &handle_; }

 private:
  gapless_type handle_ = nullptr;
};

class TypeSpec {
 public:
  // MPI_INT, the base type of nearly all layouts; MPI_CHAR, MPI_SHORT, MPI_FLOAT, MPI_DOUBLE.
  static TypeSpec int32();
  static TypeSpec character();
  static TypeSpec int16();
  static TypeSpec float32();
  static TypeSpec float64();
  // The constructors of MPI, arguments in MPI's order; only positive counts and block lengths are needed here.
  static TypeSpec contiguous(int count, TypeSpec old);
  static TypeSpec vector(int count, int block_length, int stride, TypeSpec old);
  static TypeSpec hvector(int count, int block_length, std::int64_t stride_bytes, TypeSpec old);
  static TypeSpec indexed_block(int block_length, std::vector<int> displacements, TypeSpec old);
  static TypeSpec indexed(std::vector<int> block_lengths, std::vector<int> displacements, TypeSpec old);
  static TypeSpec resized(std::int64_t lb_bytes, std::int64_t extent_bytes, TypeSpec old);
  static TypeSpec structure(std::vector<int> lengths, std::vector<std::int64_t> displacements_bytes,
                            const std::vector<TypeSpec>& members);
  // In C order: the last dimension is the one without a stride.
  static TypeSpec subarray(std::vector<int> sizes, std::vector<int> subsizes, std::vector<int> starts, TypeSpec old);

  // For people, e.g. "resized(0, 16, contiguous(2, int32))"; of long lists how they begin and end.
  std::string text() const { return written(*node_, 6); }
  // The whole of it: docs/notation.md.
  std::string notation() const { return written(*node_, std::numeric_limits<std::size_t>::max() / 2); }
  // A committed handle.
  MpiType commit() const;
  // The same type in the engine linked to the lab. Throws std::runtime_error if the engine refuses.
  EngineType engine() const;
  // The type map of `count` such types one after the other, as in a send of (count, type), in elements of so many
  // bytes, which must divide the size of every base type.
  TypeMap type_map(int count, std::int64_t element_bytes) const;
  // The same without a list: calls visit(displacement_bytes, bytes) for runs of bytes, which need not be maximal.
  using Visit = std::function<void(std::int64_t, std::int64_t)>;
  void each_run(int count, const Visit& visit) const;
  std::int64_t extent_bytes() const { return node_->ub_bytes - node_->lb_bytes; }

 private:
  enum class Constructor {
    kNamed,
    kContiguous,
    kVector,
    kHvector,
    kIndexedBlock,
    kIndexed,
    kResized,
    kStruct,
    kSubarray
  };
  struct Node;
  struct Named {
    MPI_Datatype type;
    const char* name;
    std::int64_t bytes;
  };
  struct Node {
    Constructor constructor = Constructor::kNamed;
    Named named{};
    std::vector<std::shared_ptr<const Node>> olds;  // one, or those of a struct
    const Node& old() const { return *olds.front(); }
    // The constructor's own arguments, as MPI receives them.
    int count = 0;
    int block_length = 0;
    std::int64_t stride = 0;                  // elements for vector, bytes for hvector
    std::vector<int> lengths, displacements;  // of a subarray: subsizes, starts
    std::vector<int> sizes;
    std::vector<std::int64_t> displacements_bytes;  // of a struct
    std::int64_t lb_bytes = 0;
    std::int64_t ub_bytes = 0;
  };

  explicit TypeSpec(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static TypeSpec base(const Named& named);
  static TypeSpec finish(Node node);
  static std::int64_t extent_of(const Node& node) { return node.ub_bytes - node.lb_bytes; }
  // What the definition of the constructor makes of its arguments: calls block(displacement_bytes, length, old) for
  // every `length` old types one after the other.
  template <class Block>
  static void each_block(const Node& node, const Block& block);
  template <class Block>
  static void each_row(const Node& node, std::size_t d, std::int64_t element, const Block& block);
  // Of lists of more than twice `shown` items, so many and the last one.
  static std::string written(const Node& node, std::size_t shown);
  static void expand(const Node& node, std::int64_t origin_bytes, const Visit& visit);
  static MpiType construct(const Node& node);
  static EngineType construct_engine(const Node& node);

  std::shared_ptr<const Node> node_;
};

}  // namespace gapless::lab
