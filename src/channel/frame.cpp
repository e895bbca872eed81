#include "channel/frame.hpp"

#include <cstring>
#include <type_traits>

namespace gapless::channel {

namespace {

struct ClearBody {
  Clear::Where where;
  std::uint32_t target, generation, parts;
  std::uint64_t part;
  std::uint32_t form, form_generation;
  std::int64_t count;
  std::uint64_t base;
  std::uint64_t places;
};
struct FormBody {
  std::uint32_t number, generation, total, offset;
};
static_assert(std::has_unique_object_representations_v<Header> && std::has_unique_object_representations_v<ClearBody> &&
              std::has_unique_object_representations_v<FormBody> && std::has_unique_object_representations_v<Place>);
static_assert(sizeof(ClearBody) + kMostPlaces * sizeof(Place) <= kEagerBytes);
static_assert(sizeof(FormBody) + kFormPart <= kEagerBytes);

template <class Body>
std::optional<Body> read(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < sizeof(Body)) return std::nullopt;
  Body body;
  std::memcpy(static_cast<void*>(&body), bytes.data(), sizeof body);
  return body;
}

}  // namespace

std::size_t write(const Clear& clear, std::byte* body) noexcept {
  const ClearBody head{clear.where, clear.target,          clear.generation, clear.parts, clear.part,
                       clear.form,  clear.form_generation, clear.count,      clear.base,  clear.places.size()};
  std::memcpy(body, &head, sizeof head);
  const std::size_t list = clear.places.size() * sizeof(Place);
  if (list > 0) std::memcpy(body + sizeof head, clear.places.data(), list);
  return sizeof head + list;
}

std::size_t write(const Form& form, std::byte* body) noexcept {
  const FormBody head{form.number, form.generation, form.total, form.offset};
  std::memcpy(body, &head, sizeof head);
  std::memcpy(body + sizeof head, form.part.data(), form.part.size());
  return sizeof head + form.part.size();
}

std::size_t write(const Request& request, std::byte* body) noexcept {
  std::memcpy(body, &request, sizeof request);
  return sizeof request;
}

std::optional<Header> read_header(std::span<const std::byte> frame) noexcept {
  const std::optional<Header> header = read<Header>(frame);
  if (!header || header->magic != Header::kMagic || header->body != frame.size() - sizeof(Header)) return std::nullopt;
  if (header->kind < Kind::kEager || header->kind > Kind::kBye || header->way > Way::kSegments) return std::nullopt;
  if (header->bytes > INT64_MAX || (header->kind == Kind::kEager && header->bytes != header->body)) return std::nullopt;
  return header;
}

std::optional<Clear> read_clear(std::span<const std::byte> body) {
  const std::optional<ClearBody> head = read<ClearBody>(body);
  if (!head || head->places > kMostPlaces || body.size() != sizeof *head + head->places * sizeof(Place))
    return std::nullopt;
  if (head->where < Clear::Where::kRing || head->where > Clear::Where::kSegments) return std::nullopt;
  if (head->target >= Immediate::kTargets || head->form >= kMostForms || head->count < 0) return std::nullopt;
  const bool one_place = head->where == Clear::Where::kRing || head->where == Clear::Where::kMemory;
  if (one_place && head->places != 1) return std::nullopt;
  Clear clear;
  clear.where = head->where;
  clear.target = head->target;
  clear.generation = head->generation;
  clear.part = head->part;
  clear.parts = head->parts;
  clear.form = head->form;
  clear.form_generation = head->form_generation;
  clear.count = head->count;
  clear.base = head->base;
  clear.places.resize(head->places);
  if (head->places > 0) std::memcpy(clear.places.data(), body.data() + sizeof *head, head->places * sizeof(Place));
  for (const Place& place : clear.places)
    if (place.bytes > INT64_MAX || place.address + place.bytes < place.address || place.here + place.bytes < place.here)
      return std::nullopt;
  // A part of nothing would be sent for ever.
  const bool in_parts = clear.where == Clear::Where::kRing || clear.where == Clear::Where::kSegments;
  if (in_parts && (clear.part == 0 || clear.part > INT64_MAX)) return std::nullopt;
  if (in_parts && (clear.parts == 0 || clear.parts >= Immediate::kParts / 2)) return std::nullopt;
  if (clear.where == Clear::Where::kRing && clear.part > clear.places[0].bytes / clear.parts) return std::nullopt;
  return clear;
}

std::optional<Form> read_form(std::span<const std::byte> body) noexcept {
  const std::optional<FormBody> head = read<FormBody>(body);
  if (!head || head->number >= kMostForms || head->total == 0 || head->total > kMostFormBytes) return std::nullopt;
  const std::size_t part = body.size() - sizeof *head;
  if (part == 0 || head->offset > head->total || part > head->total - head->offset) return std::nullopt;
  return Form{head->number, head->generation, head->total, head->offset, body.subspan(sizeof *head)};
}

std::optional<Request> read_request(std::span<const std::byte> body) noexcept {
  if (body.size() != sizeof(Request)) return std::nullopt;
  return read<Request>(body);
}

}  // namespace gapless::channel
