// The words that the notation knows, and which of them a misspelt word probably means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace gapless::notation {

// A named type by its own name (int32) or by MPI's (MPI_INT); nullptr if there is none. MPI's names mean C's types.
const layout::Named* find_type(std::string_view word) noexcept;

std::optional<layout::Combiner> find_constructor(std::string_view word) noexcept;

// The constructor that an MPI procedure name stands for, MPI_Type_vector or MPI_Type_create_hvector.
std::optional<layout::Combiner> find_mpi_constructor(std::string_view word) noexcept;

// The word in `known` that is closest to `word` in edit distance, ignoring case; empty if none is close.
// Cost: bounded, whatever the length of `word`.
std::string_view closest(std::string_view word, std::span<const std::string_view> known);

// The same among all types and constructors; it also knows what C programmers call the integers.
std::string_view closest_type(std::string_view word);

}  // namespace gapless::notation
