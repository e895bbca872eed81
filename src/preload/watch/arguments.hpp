// Where in a procedure's list of arguments each one stands, found while compiling, from the table's own text: so that
// one template watches all procedures (watch.cpp).
#pragma once

#include <string_view>

namespace gapless::preload {

// The position of the argument `name` in "(const void* buffer, Count count, ...)"; -1 if there is none.
constexpr int position_of(std::string_view arguments, std::string_view name) noexcept {
  int position = 0;
  for (std::size_t from = 0; from < arguments.size(); ++position) {
    const std::size_t end = arguments.find_first_of(",)", from);
    if (end == std::string_view::npos) break;
    const std::string_view one = arguments.substr(from, end - from);
    if (one.ends_with(name) && one.size() > name.size() &&
        (one[one.size() - name.size() - 1] == ' ' || one[one.size() - name.size() - 1] == '*')) {
      return position;
    }
    from = end + 1;
  }
  return -1;
}

enum class Kind {
  kSend,         // of one buffer, with a destination
  kReceive,      // with a source, or a matched message
  kSendReceive,  // of two buffers, or of one that is replaced
  kPack,
  kUnpack,
  kFile,
  kBroadcast,
  kGather,  // collective calls of two buffers, by who has how many blocks
  kScatter,
  kAllGather,
  kAllToAll,
  kNeighbourGather,
  kNeighbourAll,
  kLater,  // on requests that were made before: completes, tests, frees, or makes a partition ready
  kStart,  // of persistent requests
};

struct Arguments {
  int count, type, buffer;                              // of one buffer
  int out, out_count, out_type, in, in_count, in_type;  // of two; a list of counts or types stands in the same place
  int partitions, dest, source, message, root, comm, request, requests;
  bool lists_counts, lists_types, makes_request, is_persistent;
  Kind kind;
};

constexpr Arguments arguments_of(std::string_view name, std::string_view text) noexcept {
  const auto at = [text](std::string_view one) { return position_of(text, one); };
  const auto named = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const auto either = [](int one, int other) { return one >= 0 ? one : other; };
  Arguments found{};
  found.buffer = at("buffer");
  found.type = at("type");
  found.count = either(at("count"), found.type >= 0 ? either(at("in_count"), at("out_count")) : -1);
  found.out = at("out");
  found.in = at("in");
  found.lists_counts = at("out_counts") >= 0 || at("in_counts") >= 0;
  found.lists_types = at("out_types") >= 0;
  found.out_count = either(at("out_count"), at("out_counts"));
  found.in_count = either(at("in_count"), at("in_counts"));
  found.out_type = either(at("out_type"), at("out_types"));
  found.in_type = either(at("in_type"), at("in_types"));
  found.partitions = at("partitions");
  found.dest = at("dest");
  found.source = at("source");
  found.message = at("message");
  found.root = at("root");
  found.comm = at("comm");
  found.request = at("request");
  found.requests = at("requests");
  found.is_persistent = named("_init");
  const bool has_data = found.type >= 0 || found.out_type >= 0;
  found.makes_request = has_data && found.request >= 0;
  if (!has_data) {
    found.kind = name.starts_with("Start") ? Kind::kStart : Kind::kLater;
  } else if (name.starts_with("File_")) {
    found.kind = Kind::kFile;
  } else if (named("eighbor_all")) {
    found.kind = named("gather") ? Kind::kNeighbourGather : Kind::kNeighbourAll;
  } else if (named("lltoall")) {
    found.kind = Kind::kAllToAll;
  } else if (named("llgather")) {
    found.kind = Kind::kAllGather;
  } else if (named("ather")) {
    found.kind = Kind::kGather;
  } else if (named("catter")) {
    found.kind = Kind::kScatter;
  } else if (named("cast")) {
    found.kind = Kind::kBroadcast;
  } else if (name.starts_with("Pack")) {
    found.kind = Kind::kPack;
  } else if (name.starts_with("Unpack")) {
    found.kind = Kind::kUnpack;
  } else if (found.dest >= 0) {
    found.kind = found.source >= 0 ? Kind::kSendReceive : Kind::kSend;
  } else {
    found.kind = Kind::kReceive;
  }
  return found;
}

}  // namespace gapless::preload
