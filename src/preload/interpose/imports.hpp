// What the loaded objects ask of the loader.
#pragma once

namespace gapless::preload {

// True if a procedure completes requests and is not wrapped: extensions of single libraries. Under a program that uses
// one, a nonblocking receive must stay the library's own, or its data would be read before they are unpacked.
bool completes_unwrapped(const char* name);

// True if a loaded object is bound to a symbol of which `asked` is true. Cost: a walk over all objects' symbols
// and relocations.
bool some_object_imports(bool (*asked)(const char* name));

}  // namespace gapless::preload
