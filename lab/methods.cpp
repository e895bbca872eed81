#include "methods.hpp"

#include <algorithm>
#include <utility>

namespace gapless::lab {
namespace {

using Result = Method::Result;

std::unique_ptr<Channel> make_channel(const std::string& method, const DescribedTypes& types, Buffers& buffers,
                                      const LayerSwitch& layer) {
  if (method == "pack") return make_pack_channel(buffers, types.ends());
  if (method == "native" || method == "gapless") return make_typed_channel(buffers, types.ends());
  if (method == "native_nonblocking" || method == "gapless_nonblocking")
    return make_nonblocking_channel(buffers, types.ends());
  if (method == "gapless_send") return make_one_sided_channel(buffers, types.ends(), layer, true);
  if (method == "gapless_receive") return make_one_sided_channel(buffers, types.ends(), layer, false);
  if (method == "engine") return make_engine_channel(buffers, types.engine_ends());
  if (method == "engine_pack") return make_engine_pack(buffers, types.engine_ends());
  if (method == "engine_unpack") return make_engine_unpack(buffers, types.engine_ends());
  return nullptr;
}

Result result_of(const std::string& method) {
  if (method == "engine_pack") return Result::kPackedInScratch;
  if (method == "engine_unpack") return Result::kUnpackedFromScratch;
  return Result::kReceivedInUserBuffer;
}

}  // namespace

std::vector<Method> make_methods(const Options& options, const Subject& subject,
                                 const std::vector<DescribedTypes>& types, Buffers& buffers, const LayerSwitch& layer) {
  std::vector<Method> methods;
  const auto add = [&](MethodResult result, bool layer_on, Result leaves, std::unique_ptr<Channel> channel) {
    methods.push_back({std::move(result), layer_on, leaves, std::move(channel)});
  };
  for (const std::string& name : options.methods) {
    if (name == "contiguous")
      add({name, subject.ints ? "int32" : "byte", name, {"ET1"}, {}, {}, {}}, false, Result::kReceivedContiguous,
          make_contiguous_channel(buffers, subject.ints));
    if (name == "manual" && subject.layout)
      add({name, subject.ints ? "int32" : "byte", name, {}, {}, {}, {}}, false, Result::kReceivedInUserBuffer,
          make_manual_channel(buffers, *subject.layout));
  }
  for (const DescribedTypes& of : types)
    for (const std::string& name : options.methods) {
      const bool layer_on = name.starts_with("gapless");
      if (layer_on && !layer.present()) continue;
      std::unique_ptr<Channel> channel = make_channel(name, of, buffers, layer);
      if (channel == nullptr) continue;
      const Description& sent = *of.sent;
      const bool alike = sent.type.text() == of.received->type.text();
      add({sent.name,
           sent.type.text() + (alike ? "" : " -> " + of.received->type.text()),
           name,
           sent.tests,
           {},
           {},
           {}},
          layer_on, result_of(name), std::move(channel));
    }
  return methods;
}

}  // namespace gapless::lab
