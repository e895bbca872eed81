// What the loaded objects ask of the loader.
#pragma once

namespace gapless::preload {

// Whether a loaded object is bound to one of the procedures that complete a request and are not wrapped: extensions of
// single libraries. Under a program that uses one, a nonblocking receive must stay the library's own, or its data would
// be looked for before they are unpacked. Costs a walk over all objects' undefined symbols: asked once.
bool imports_unwrapped_completion();

}  // namespace gapless::preload
