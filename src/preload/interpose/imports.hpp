// What the loaded objects ask of the loader.
#pragma once

namespace gapless::preload {

// Whether a procedure completes requests and is not wrapped: extensions of single libraries. Under a program that uses
// one, a nonblocking receive must stay the library's own, or its data would be looked for before they are unpacked.
bool completes_unwrapped(const char* name);

// Whether a loaded object is bound to a symbol of which this is true. Costs a walk over all objects' undefined symbols.
bool some_object_imports(bool (*asked)(const char* name));

}  // namespace gapless::preload
