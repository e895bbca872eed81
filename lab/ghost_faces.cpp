#include "ghost_faces.hpp"

namespace gapless::lab {

namespace {

constexpr int kPoints = 30, kWidth = kPoints + 2;
constexpr std::int64_t kPointBytes = 8, kLineBytes = kPointBytes * kWidth, kPlaneBytes = kLineBytes * kWidth,
                       kVariableBytes = kPlaneBytes * kWidth;

End end(std::int64_t origin, const TypeSpec& of_all) {
  return {origin, {{"hvector", 1, of_all, {}}}};
}

}  // namespace

Exchange GhostFace::exchange() const {
  const TypeSpec number = TypeSpec::float64();
  const auto place = [](int i, int j, int k) { return i * kPointBytes + j * kLineBytes + k * kPlaneBytes; };
  const auto of_all = [this](const TypeSpec& one) { return TypeSpec::hvector(variables, 1, kVariableBytes, one); };
  Exchange exchange;
  exchange.element = "double";
  exchange.element_bytes = kPointBytes;
  if (face == 'x') {
    const TypeSpec line = TypeSpec::vector(kPoints, 1, kWidth, number);
    const TypeSpec all = of_all(TypeSpec::hvector(kPoints, 1, kPlaneBytes, line));
    exchange.send = end(place(kPoints, 1, 1), all);
    exchange.receive = end(place(kPoints + 1, 1, 1), all);
  } else if (face == 'y') {
    const TypeSpec all = of_all(TypeSpec::vector(kPoints, kPoints, kWidth * kWidth, number));
    exchange.send = end(place(1, kPoints, 1), all);
    exchange.receive = end(place(1, kPoints + 1, 1), all);
  } else {
    const TypeSpec all = of_all(TypeSpec::vector(kPoints, kPoints, kWidth, number));
    exchange.send = end(place(1, 1, kPoints), all);
    exchange.receive = end(place(1, 1, kPoints + 1), all);
  }
  return exchange;
}

std::vector<NamedExchange> ghost_exchanges() {
  std::vector<NamedExchange> all;
  for (const char face : {'x', 'y', 'z'})
    for (const int variables : kGhostVariables) {
      const GhostFace of{face, variables};
      all.push_back({of.name(), [of] { return of.exchange(); }});
    }
  return all;
}

}  // namespace gapless::lab
