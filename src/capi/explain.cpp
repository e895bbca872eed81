// gapless_type_explain: what a type is, what it becomes, and what it touches, as one JSON document.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/settings.hpp"
#include "capi/form_walk.hpp"
#include "capi/guard.hpp"
#include "capi/text_out.hpp"
#include "capi/type_tree.hpp"
#include "kernel/isa.hpp"
#include "normal/normalise.hpp"
#include "notation/print.hpp"

namespace gapless::capi {
namespace {

constexpr int kSchema = 1;
constexpr std::int64_t kMaxRuns = 1'000'000;     // walked, of the message
constexpr std::int64_t kWindowBytes = 1024;      // of memory shown
constexpr std::size_t kMaxShown = 4096;          // runs in the window
constexpr std::size_t kMaxLowest = 2048;         // runs listed from the lowest displacement up
constexpr std::size_t kMaxFirst = 256;           // runs listed from the start of the packing order
constexpr std::int64_t kMaxBins = 128;           // that an element's memory is divided into
constexpr std::size_t kMaxTypeText = 64 * 1024;  // characters
constexpr std::size_t kMaxFormText = 4000;       // characters
constexpr std::size_t kMaxPlanLines = 200;
constexpr double kMaxWritten = 100'000;  // nodes and numbers of a form that is worth writing out
constexpr std::int64_t kLine = 64;       // [bytes] of a cache line

std::int64_t line_of(std::int64_t displacement) {
  return displacement >= 0 ? displacement / kLine : (displacement + 1) / kLine - 1;
}

// The runs and the cache lines that a message touches, from a walk over its runs.
class Touched {
 public:
  Touched(const layout::Layout& message, const normal::Form& form)
      : from_(message.true_lb),
        to_(from_ + std::min(kWindowBytes, message.true_extent)),
        form_runs_(form.node ? form.node->runs : 0) {
    complete_ = for_each_run(form, kMaxRuns, [this](std::int64_t at, std::int64_t bytes) { run(at, bytes); });
    if (message.size == 0) return;
    const std::int64_t span = line_of(from_ + message.true_extent - 1) - line_of(from_) + 1;
    // A run of b bytes touches at most b / 64 + 2 lines. Clamped: runs may be as many as bytes.
    const std::int64_t runs = std::min(form_runs_, std::numeric_limits<std::int64_t>::max() / 8);
    lines_at_most_ = std::min(span, message.size / kLine + 2 * runs);
  }

  void write(Json& json) {
    const std::int64_t lines = distinct_lines();
    json["runs"] = complete_ ? runs_ : form_runs_;
    json["runs_exact"] = complete_;
    json["cache_lines"] = complete_ ? Json(lines) : Json();
    if (!complete_) json["cache_lines_at_most"] = lines_at_most_;
    json["memory_from"] = from_;
    json["memory_bytes"] = to_ - from_;
    json["memory_complete"] = complete_ && !too_many_;
    json["memory"] = std::move(shown_);
    json["first_runs"] = Json::list();
    for (std::size_t i = 0; i < std::min(all_.size(), kMaxFirst); ++i)
      json["first_runs"].push_back(Json::List{all_[i].at, all_[i].bytes});
    write_lowest(json);
  }

 private:
  struct Run {
    std::int64_t at, bytes, order, position;
  };

  void run(std::int64_t at, std::int64_t bytes) {
    const std::int64_t index = runs_++, first = line_of(at), last = line_of(at + bytes - 1);
    all_.push_back({at, bytes, index, position_});
    position_ += bytes;
    if (!lines_.empty() && first >= lines_.back().first && first <= lines_.back().second)
      lines_.back().second = std::max(lines_.back().second, last);
    else
      lines_.emplace_back(first, last);
    const std::int64_t begin = std::max(at, from_), end = std::min(at + bytes, to_);
    if (begin >= end) return;
    if (shown_.size() < kMaxShown)
      shown_.push_back(Json::List{begin, end - begin, index});
    else
      too_many_ = true;
  }

  // A picture begins at the lowest displacement, wherever in the packing order that is.
  void write_lowest(Json& json) {
    json["lowest_runs"] = Json::list();
    json["lowest_runs_below"] = Json();
    if (all_.size() > kMaxLowest) {
      const auto end = all_.begin() + kMaxLowest;
      std::nth_element(all_.begin(), end, all_.end(),
                       [](const Run& a, const Run& b) { return std::pair(a.at, a.order) < std::pair(b.at, b.order); });
      json["lowest_runs_below"] = end->at;
      all_.erase(end, all_.end());
      std::sort(all_.begin(), all_.end(), [](const Run& a, const Run& b) { return a.order < b.order; });
    }
    for (const Run& run : all_) json["lowest_runs"].push_back(Json::List{run.at, run.bytes, run.order, run.position});
  }

  std::int64_t distinct_lines() {
    std::sort(lines_.begin(), lines_.end());
    std::int64_t distinct = 0, next = std::numeric_limits<std::int64_t>::min();
    for (const auto& [first, last] : lines_) {
      const std::int64_t begin = std::max(first, next);
      if (last < begin) continue;
      distinct += last - begin + 1;
      next = last + 1;
    }
    return distinct;
  }

  std::int64_t from_, to_;  // the window
  std::int64_t form_runs_;
  bool complete_ = false, too_many_ = false;
  std::int64_t runs_ = 0, position_ = 0, lines_at_most_ = 0;
  std::vector<Run> all_;
  std::vector<std::pair<std::int64_t, std::int64_t>> lines_;  // first, last
  Json shown_ = Json::list();
};

// Writes how the bytes of an element are spread over its true extent: the bytes in each of some equal pieces of it.
void write_coverage(Json& json, const layout::Layout& type, const normal::Form& form) {
  json["coverage_bin_bytes"] = Json();
  json["coverage"] = Json();
  if (type.size == 0) return;
  const std::int64_t width = (type.true_extent - 1) / kMaxBins + 1;
  const auto bins = static_cast<std::size_t>((type.true_extent - 1) / width + 1);
  std::vector<std::int64_t> bytes(bins), through(bins + 1);  // through: by how many more runs a bin is filled
  const bool complete = for_each_run(form, kMaxRuns, [&](std::int64_t at, std::int64_t length) {
    const std::int64_t begin = at - type.true_lb, end = begin + length;
    const auto first = static_cast<std::size_t>(begin / width), last = static_cast<std::size_t>((end - 1) / width);
    if (first == last) {
      bytes[first] += length;
      return;
    }
    bytes[first] += width - begin % width;
    bytes[last] += (end - 1) % width + 1;
    ++through[first + 1];
    --through[last];
  });
  if (!complete) return;
  std::int64_t filled = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) bytes[bin] += (filled += through[bin]) * width;
  json["coverage_bin_bytes"] = width;
  json["coverage"] = Json::list_of(bytes);
}

Json form_text(const normal::Form& form, const Written& length) {
  if (length.nodes + length.numbers > kMaxWritten) return "too long to be written out";
  std::string text = normal::text(form);
  if (text.size() > kMaxFormText) text = text.substr(0, kMaxFormText) + "...";
  return text;
}

Json plan_lines(const plan::Plan& plan, const Written& length) {
  Json lines = Json::list();
  if (length.nodes > kMaxWritten) return Json::List{"too long to be written out"};
  const std::string text = plan.text();
  for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
    if (lines.size() == kMaxPlanLines) {
      lines.push_back("...");
      break;
    }
    lines.push_back(text.substr(from, text.find('\n', from) - from));
  }
  return lines;
}

Json kernels(const plan::Plan& plan) {
  std::vector<std::string> names;
  if (plan.size() == 0) return Json::list();
  for (const char* name : plan.kernel_names())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  return Json::list_of(names);
}

std::string explain(const layout::LayoutPtr& type, std::int64_t count, const plan::Plan& plan) {
  const layout::LayoutPtr message = count == 1 ? type : layout::contiguous(count, type);
  const Written length = written(plan.form());
  Json json = Json::object();
  json["schema"] = kSchema;
  try {
    json["type"] = notation::print(*type, kMaxTypeText);
    json["type_is_abridged"] = false;
  } catch (const base::Error&) {
    json["type"] = notation::abridged(*type);
    json["type_is_abridged"] = true;
  }
  json["tree"] = type_tree(*type);
  json["count"] = count;
  json["size"] = type->size;
  json["lb"] = type->lb;
  json["extent"] = type->extent;
  json["true_lb"] = type->true_lb;
  json["true_extent"] = type->true_extent;
  json["alignment"] = type->alignment;
  json["normal_form"] = form_text(plan.form(), length);
  json["plan"] = plan_lines(plan, length);
  json["kernels"] = kernels(plan);
  json["isa"] = kernel::isa_name();
  if (std::string refused = base::refused_settings(); !refused.empty()) json["refused"] = std::move(refused);
  json["far_from_count"] = plan.size() > 0 ? Json(plan.far_count() + 1) : Json();
  json["bytes_touched"] = message->size;
  write_coverage(json, *type, plan.form());
  Touched(*message, count == 1 ? plan.form() : normal::normalise(*message)).write(json);
  return json.text();
}

}  // namespace
}  // namespace gapless::capi

gapless_status gapless_type_explain(gapless_type type, int64_t count, char* buffer, size_t capacity, size_t* needed) {
  return gapless::capi::guard([&] {
    gapless::capi::require(type != nullptr, "the type is NULL");
    gapless::capi::require(count >= 0, "the count is negative");
    gapless::capi::text_out(gapless::capi::explain(type->layout, count, type->committed()), buffer, capacity, needed);
  });
}
