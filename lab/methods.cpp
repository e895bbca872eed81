#include "methods.hpp"

#include <algorithm>
#include <utility>

namespace gapless::lab {
namespace {

using Result = Method::Result;

std::unique_ptr<Channel> make_channel(const std::string& method, const Description& description, MPI_Datatype type,
                                      Buffers& buffers, const LayerSwitch& layer) {
  const int count = description.count;
  if (method == "pack") return make_pack_channel(buffers, count, type);
  if (method == "native" || method == "gapless") return make_typed_channel(buffers, count, type);
  if (method == "native_nonblocking" || method == "gapless_nonblocking")
    return make_nonblocking_channel(buffers, count, type);
  if (method == "gapless_send") return make_one_sided_channel(buffers, count, type, layer, true);
  if (method == "gapless_receive") return make_one_sided_channel(buffers, count, type, layer, false);
  if (method == "engine") return make_engine_channel(buffers, count, description.type.engine());
  if (method == "engine_pack") return make_engine_pack(buffers, count, description.type.engine());
  if (method == "engine_unpack") return make_engine_unpack(buffers, count, description.type.engine());
  return nullptr;
}

Result result_of(const std::string& method) {
  if (method == "engine_pack") return Result::kPackedInScratch;
  if (method == "engine_unpack") return Result::kUnpackedFromScratch;
  return Result::kReceivedInUserBuffer;
}

}  // namespace

std::vector<Method> make_methods(const Options& options, const Layout& layout,
                                 const std::vector<Description>& descriptions, const std::vector<MpiType>& types,
                                 Buffers& buffers, const LayerSwitch& layer) {
  std::vector<Method> methods;
  for (const std::string& name : options.methods) {
    if (name == "contiguous")
      methods.push_back({{name, "int32", name, {"ET1"}, {}, {}},
                         false,
                         Result::kReceivedContiguous,
                         make_contiguous_channel(buffers, layout)});
    if (name == "manual")
      methods.push_back({{name, "int32", name, {}, {}, {}},
                         false,
                         Result::kReceivedInUserBuffer,
                         make_manual_channel(buffers, layout)});
  }
  for (std::size_t i = 0; i < descriptions.size(); ++i)
    for (const std::string& name : options.methods) {
      const bool layer_on = name.starts_with("gapless");
      if (layer_on && !layer.present()) continue;
      const Description& description = descriptions[i];
      std::unique_ptr<Channel> channel = make_channel(name, description, types[i].handle(), buffers, layer);
      if (channel == nullptr) continue;
      methods.push_back({{description.name, description.type.text(), name, description.tests, {}, {}},
                         layer_on,
                         result_of(name),
                         std::move(channel)});
    }
  return methods;
}

}  // namespace gapless::lab
