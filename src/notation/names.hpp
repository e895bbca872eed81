// Which words the notation knows, and which one a misspelt word was probably meant to be.
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

// The constructor of MPI's procedure of that name, MPI_Type_vector or MPI_Type_create_hvector.
std::optional<layout::Combiner> find_mpi_constructor(std::string_view word) noexcept;

// The one of `known` that is closest to `word` in letters (upper case or not), empty if none is close.
// Cost: bounded, whatever the length of `word`.
std::string_view closest(std::string_view word, std::span<const std::string_view> known);

// The same among all types and constructors; knows what C programmers call the integers.
std::string_view closest_type(std::string_view word);

}  // namespace gapless::notation
