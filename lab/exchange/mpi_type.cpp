#include "mpi_type.hpp"

#include "../clock.hpp"
#include "agree.hpp"
#include "named_types.hpp"

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gapless::lab::exchange {
namespace {

using layout::Combiner;
using layout::Layout;

// Errors come back while it exists; some libraries raise those of types on the world, others on the process itself.
class ErrorsReturned {
 public:
  ErrorsReturned() {
    for (std::size_t i = 0; i < 2; ++i) {
      MPI_Comm_get_errhandler(kComms[i], &before_[i]);
      MPI_Comm_set_errhandler(kComms[i], MPI_ERRORS_RETURN);
    }
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned() {
    for (std::size_t i = 0; i < 2; ++i) {
      MPI_Comm_set_errhandler(kComms[i], before_[i]);
      MPI_Errhandler_free(&before_[i]);
    }
  }

 private:
  const MPI_Comm kComms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  MPI_Errhandler before_[2] = {};
};

void check(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Refused(what + ": the MPI library says: " + text);
}

// What the constructors have taken since it was set to 0: their calls alone, not what makes their arguments ready.
double constructing_ns = 0;

template <class Call>
int clocked(const Call& call) {
  const double start_ns = now_ns();
  const int code = call();
  constructing_ns += now_ns() - start_ns;
  return code;
}

std::vector<int> ints(const base::Numbers& numbers, const char* what) {
  std::vector<int> all;
  all.reserve(numbers.size());
  for (const std::int64_t number : numbers) all.push_back(as_int(number, what));
  return all;
}

std::vector<int> ints(const std::vector<std::int64_t>& numbers, const char* what) {
  std::vector<int> all;
  for (const std::int64_t number : numbers) all.push_back(as_int(number, what));
  return all;
}

std::vector<MPI_Aint> addresses(const base::Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

int order_of(const Layout& type) {
  return type.order == layout::Order::kC ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

MpiType construct(const Layout& type);

int construct_struct(const Layout& type, MPI_Datatype* made) {
  std::vector<MpiType> owned;
  std::vector<MPI_Datatype> olds;
  for (const auto& child : type.children) {
    owned.push_back(construct(*child));
    olds.push_back(owned.back().handle());
  }
  const std::vector<int> lengths = ints(type.blocklengths, "a blocklength");
  const std::vector<MPI_Aint> displacements = addresses(type.displacements);
  return clocked([&] {
    return MPI_Type_create_struct(as_int(type.count, "the number of members"), lengths.data(), displacements.data(),
                                  olds.data(), made);
  });
}

int construct_darray(const Layout& type, MPI_Datatype old, MPI_Datatype* made) {
  std::vector<int> distributions, arguments;
  for (std::size_t d = 0; d < type.sizes.size(); ++d) {
    const layout::Distribution distribution = type.distributions[d];
    distributions.push_back(distribution == layout::Distribution::kBlock    ? MPI_DISTRIBUTE_BLOCK
                            : distribution == layout::Distribution::kCyclic ? MPI_DISTRIBUTE_CYCLIC
                                                                            : MPI_DISTRIBUTE_NONE);
    const std::int64_t argument = type.distribution_arguments[d];
    arguments.push_back(argument == layout::kDefaultDistribution ? MPI_DISTRIBUTE_DFLT_DARG
                                                                 : as_int(argument, "an argument of a distribution"));
  }
  const std::vector<int> sizes = ints(type.sizes, "a size"), grid = ints(type.process_grid, "a length of the grid");
  return clocked([&] {
    return MPI_Type_create_darray(as_int(type.process_count, "the number of processes"), as_int(type.rank, "the rank"),
                                  static_cast<int>(sizes.size()), sizes.data(), distributions.data(), arguments.data(),
                                  grid.data(), order_of(type), old, made);
  });
}

int construct_list(const Layout& type, MPI_Datatype old, MPI_Datatype* made) {
  const int count = as_int(type.count, "the number of blocks");
  const bool in_bytes = type.combiner == Combiner::kHindexed || type.combiner == Combiner::kHindexedBlock;
  const bool equal = type.combiner == Combiner::kIndexedBlock || type.combiner == Combiner::kHindexedBlock;
  const std::vector<int> lengths = equal ? std::vector<int>{} : ints(type.blocklengths, "a blocklength");
  if (in_bytes) {
    const std::vector<MPI_Aint> displacements = addresses(type.displacements);
    return clocked([&] {
      return equal ? MPI_Type_create_hindexed_block(count, as_int(type.blocklength, "the blocklength"),
                                                    displacements.data(), old, made)
                   : MPI_Type_create_hindexed(count, lengths.data(), displacements.data(), old, made);
    });
  }
  const std::vector<int> displacements = ints(type.displacements, "a displacement");
  return clocked([&] {
    return equal ? MPI_Type_create_indexed_block(count, as_int(type.blocklength, "the blocklength"),
                                                 displacements.data(), old, made)
                 : MPI_Type_indexed(count, lengths.data(), displacements.data(), old, made);
  });
}

int construct_subarray(const Layout& type, MPI_Datatype old, MPI_Datatype* made) {
  const std::vector<int> sizes = ints(type.sizes, "a size"), subsizes = ints(type.subsizes, "a subsize"),
                         starts = ints(type.starts, "a start");
  return clocked([&] {
    return MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), subsizes.data(), starts.data(),
                                    order_of(type), old, made);
  });
}

int construct_over(const Layout& type, MPI_Datatype old, MPI_Datatype* made) {
  switch (type.combiner) {
    case Combiner::kContiguous:
      return clocked([&] { return MPI_Type_contiguous(as_int(type.count, "the count"), old, made); });
    case Combiner::kVector:
      return clocked([&] {
        return MPI_Type_vector(as_int(type.count, "the count"), as_int(type.blocklength, "the blocklength"),
                               as_int(type.stride, "the stride"), old, made);
      });
    case Combiner::kHvector:
      return clocked([&] {
        return MPI_Type_create_hvector(as_int(type.count, "the count"), as_int(type.blocklength, "the blocklength"),
                                       type.stride, old, made);
      });
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      return construct_list(type, old, made);
    case Combiner::kSubarray:
      return construct_subarray(type, old, made);
    case Combiner::kDarray:
      return construct_darray(type, old, made);
    case Combiner::kResized:
      return clocked([&] { return MPI_Type_create_resized(old, type.lb, type.extent, made); });
    case Combiner::kDup:
      return clocked([&] { return MPI_Type_dup(old, made); });
    default:
      throw Refused(std::string("no such constructor in MPI: ") + layout::combiner_name(type.combiner));
  }
}

MpiType construct(const Layout& type) {
  if (type.combiner == Combiner::kNamed) {
    const MPI_Datatype named = named_type(type.named->name);
    if (named == MPI_DATATYPE_NULL) throw Refused(std::string("the MPI library has no type ") + type.named->name);
    return MpiType(named, false);
  }
  // MPI has darray itself; its expansion is for the engine.
  if (type.expansion && type.combiner != Combiner::kDarray) return construct(*type.expansion);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (type.combiner == Combiner::kStruct) {
    check(construct_struct(type, &made), "struct");
  } else {
    const MpiType old = construct(*type.children.front());
    check(construct_over(type, old.handle(), &made), layout::combiner_name(type.combiner));
  }
  return MpiType(made, true);
}

// A library that disagrees would write outside of the buffers that were made by the rules.
void require_equal(const char* what, std::int64_t found, std::int64_t expected) {
  if (found != expected)
    throw Refused(std::string("the MPI library says ") + what + " " + std::to_string(found) + ", MPI's rules say " +
                  std::to_string(expected));
}

void require_bounds(MPI_Datatype handle, const Layout& type) {
  MPI_Aint lb = 0, extent = 0;
  int size = 0;
  check(MPI_Type_get_extent(handle, &lb, &extent), "MPI_Type_get_extent");
  check(MPI_Type_size(handle, &size), "MPI_Type_size");
  require_equal("size", size, type.size);
  require_equal("lower bound", lb, type.lb);
  require_equal("extent", extent, type.extent);
}

}  // namespace

int as_int(std::int64_t number, const char* what) {
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
    throw Refused(std::string(what) + " " + std::to_string(number) + " does not fit into an int");
  return static_cast<int>(number);
}

MpiType make_type(const Layout& type) {
  const ErrorsReturned errors_returned;
  MpiType made = construct(type);
  MPI_Datatype handle = made.handle();
  check(MPI_Type_commit(&handle), "MPI_Type_commit");
  require_bounds(handle, type);
  return made;
}

TimedType make_timed_type(const Layout& type) {
  const ErrorsReturned errors_returned;
  constructing_ns = 0;
  MpiType made = construct(type);
  // Nobody commits what the library has.
  if (type.combiner == Combiner::kNamed) return {std::move(made), 0, 0};
  MPI_Datatype handle = made.handle();
  const double start_ns = now_ns();
  const int code = MPI_Type_commit(&handle);
  const double commit_ns = now_ns() - start_ns;
  check(code, "MPI_Type_commit");
  return {std::move(made), constructing_ns, commit_ns};
}

MpiType make_type_again(const Layout& type) {
  MpiType made = construct(type);
  MPI_Datatype handle = made.handle();
  check(MPI_Type_commit(&handle), "MPI_Type_commit");
  return made;
}

}  // namespace gapless::lab::exchange
