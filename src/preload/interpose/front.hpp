// What a front asks of the place where it stands: between a program and a shared MPI library (front_dynamic.cpp), or in
// a program that is linked with a static one (interpose/static/front_static.cpp). The rest of the front is the same
// (front.cpp).
#pragma once

#include <cstddef>
#include <string>

#include "preload/front_to_backend.hpp"
#include "preload/procedures.hpp"

namespace gapless::preload {

struct Served {
  Procedure procedure;
  void** outer_slot;  // of MPI_X
  void** inner_slot;  // of PMPI_X
  void* next;         // where MPI_X leads without the layer: a tool's, or the library's; nullptr: this library has no X
  void* library;      // and PMPI_X
  bool tool_between;  // MPI_X leads to a tool that calls PMPI_X
};

// True if some procedure has been called through the trampolines.
bool called() noexcept;

// Looks for the library; `caller` is an address inside of the code that called MPI. nullptr, or why there is none.
const char* find_library(void* caller) noexcept;
// A function of the library, or nullptr.
void* library_function(const char* name) noexcept;
const char* library_abi() noexcept;

std::size_t served_count() noexcept;
Served served(std::size_t k) noexcept;

// True if another front in this process does the work, and this one only forwards calls.
bool another_front_leads() noexcept;

// The backend for the library's ABI, or nullptr and why there is none.
const Backend* open_backend(const Switches& switches, std::string& reason);

}  // namespace gapless::preload
