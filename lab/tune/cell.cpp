#include "cell.hpp"

#include <algorithm>
#include <cstring>

namespace gapless::lab::tune {
namespace {

constexpr std::int64_t kInt = 4;
constexpr std::int64_t kInner = 8;  // runs of the inner vector of a nest
// What the blocks of a nest are made of, as codes make them of the points of a lattice: a contiguous type of two ints.
// Of the libraries that were measured some copy such blocks point by point where they copy blocks of ints at once, and
// none does the reverse; the layer sees no difference. So where a nest of points is best left to the library, a nest of
// ints is, too. Two ints: the shorter the point, the slower, and the grid's runs are whole points.
constexpr int kPointInts = 2;

// The blocks of a vector lie in lines of their own, as a matrix column's do; elsewhere gaps are as long as the runs. A
// nest's outer stride is one run more than its inner vectors need, and the blocks of a list lie one, two or three runs
// apart: neither is a vector in disguise.
constexpr std::int64_t kLine = 64;
std::int64_t stride_of(const Size& size) {
  return size.run_bytes + (size.shape == Shape::kVector ? std::max(size.run_bytes, kLine) : size.run_bytes);
}

std::int64_t inner_runs(std::int64_t runs) {
  return runs >= 2 * kInner ? kInner : std::max<std::int64_t>(runs / 2, 1);
}

std::vector<std::int64_t> places_of(const Size& size) {
  std::vector<std::int64_t> places;
  std::int64_t place = 0;
  const std::int64_t inner = inner_runs(size.runs());
  for (std::int64_t k = 0; k < size.runs(); ++k) {
    places.push_back(place);
    place += stride_of(size);
    if (size.shape == Shape::kNest && (k + 1) % inner == 0) place += size.run_bytes;
    if (size.shape == Shape::kList) place += k * 7 % 3 * size.run_bytes;
  }
  return places;
}

MpiType committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return {type, true};
}

MpiType type_of(const Size& size, const std::vector<std::int64_t>& places) {
  const auto ints = static_cast<int>(size.run_bytes / kInt);
  const auto runs = static_cast<int>(size.runs());
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (size.shape == Shape::kElements) {
    MPI_Datatype run;
    MPI_Type_contiguous(ints, MPI_INT, &run);
    MPI_Type_create_resized(run, 0, 2 * size.run_bytes, &made);
    MPI_Type_free(&run);
  } else if (size.shape == Shape::kVector) {
    MPI_Type_vector(runs, ints, static_cast<int>(stride_of(size) / kInt), MPI_INT, &made);
  } else if (size.shape == Shape::kNest) {
    const auto inner = static_cast<int>(inner_runs(runs));
    const int point_ints = ints % kPointInts == 0 ? kPointInts : 1;
    MPI_Datatype point, row;
    MPI_Type_contiguous(point_ints, MPI_INT, &point);
    MPI_Type_vector(inner, ints / point_ints, 2 * (ints / point_ints), point, &row);
    MPI_Type_create_hvector(runs / inner, 1, (2 * inner + 1) * size.run_bytes, row, &made);
    MPI_Type_free(&row);
    MPI_Type_free(&point);
  } else {
    std::vector<int> lengths(places.size(), ints), displacements;
    for (const std::int64_t place : places) displacements.push_back(static_cast<int>(place / kInt));
    MPI_Type_indexed(runs, lengths.data(), displacements.data(), MPI_INT, &made);
  }
  return committed(made);
}

bool ends_are(const unsigned char* first, const unsigned char* last, unsigned char value) {
  return *first == value && *last == value;
}

}  // namespace

Cell::Cell(const Size& size) : size_(size), places_(places_of(size)), type_(type_of(size, places_)) {
  const auto span = static_cast<std::size_t>(places_.back() + size.run_bytes);
  typed_out_.assign(span, kConstant);
  typed_in_.assign(span, 0);
  plain_out_.assign(static_cast<std::size_t>(size.bytes), kConstant);
  plain_in_.assign(static_cast<std::size_t>(size.bytes), 0);
}

void Cell::write_out(unsigned char value) {
  for (const std::int64_t place : places_) {
    std::memset(typed_out_.data() + place, value, static_cast<std::size_t>(size_.run_bytes));
  }
}

void Cell::write_plain(unsigned char value) {
  std::memset(plain_out_.data(), value, plain_out_.size());
}

bool Cell::typed_in_is(unsigned char value) const {
  return ends_are(typed_in_.data(), typed_in_.data() + places_.back() + size_.run_bytes - 1, value);
}

bool Cell::plain_in_is(unsigned char value) const {
  return ends_are(plain_in_.data(), plain_in_.data() + plain_in_.size() - 1, value);
}

}  // namespace gapless::lab::tune
