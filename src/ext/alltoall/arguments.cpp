#include "ext/alltoall/arguments.hpp"

#include <cstdio>
#include <cstring>
#include <string_view>

#include "ext/alltoall/choice.hpp"
#include "ext/datatype.hpp"
#include "ext/error.hpp"
#include "ext/memory.hpp"

namespace gapless::ext::regular {

namespace {

int raise_unknown(const char* name, MPI_Comm comm) {
  std::fprintf(
      stderr, "gapless: GAPLESS_Alltoall: no algorithm is called '%s' (GAPLESS_Alltoall_algorithm lists them)\n", name);
  return raise(MPI_ERR_ARG, comm);
}

// A side's class of error, or MPI_SUCCESS.
int wrong_side(MPI_Count count, MPI_Datatype type, mpi::DatatypePtr& facts) noexcept {
  if (count < 0) return MPI_ERR_COUNT;
  if (type == MPI_DATATYPE_NULL) return MPI_ERR_TYPE;
  return look_up_committed(type, facts);
}

bool lacks_buffer(const void* buffer, const Blocks& blocks) noexcept {
  if (buffer == MPI_IN_PLACE) return true;
  const plan::Plan* const plan = blocks.facts().plan();
  return blocks.bytes() > 0 && plan != nullptr && !is_buffer(buffer, *plan);
}

}  // namespace

bool find_choice(const char* name, Choice& choice) noexcept {
  choice.asked = Asked::kEither;
  std::string_view text(name);
  for (const auto& [ending, asked] :
       {std::pair{std::string_view(":types"), Asked::kTypes}, std::pair{std::string_view(":staged"), Asked::kStaged}})
    if (text.ends_with(ending)) {
      choice.asked = asked;
      text.remove_suffix(ending.size());
    }
  choice.algorithm = alltoall::find_algorithm(text);
  return choice.algorithm != nullptr && (choice.asked == Asked::kEither || !choice.algorithm->library);
}

int check(const Arguments& arguments, bool is_persistent, Checked& checked) {
  int code = private_comm(arguments.comm, checked.comm);
  if (code != MPI_SUCCESS) return code;
  PrivateComm& comm = *checked.comm;
  if (is_persistent) checked.tag = comm.next_tag();
  checked.is_in_place = arguments.sendbuf == MPI_IN_PLACE;
  alltoall::Range ours;
  if (arguments.algorithm == nullptr) {
    code = range_of_ours(comm, checked.is_in_place, is_persistent, ours);
    if (code != MPI_SUCCESS) return raise(code, arguments.comm);
  } else if (!find_choice(arguments.algorithm, checked.choice)) {
    return raise_unknown(arguments.algorithm, arguments.comm);
  }
  mpi::DatatypePtr send_facts, receive_facts;
  code = wrong_side(arguments.recvcount, arguments.recvtype, receive_facts);
  if (code == MPI_SUCCESS && !checked.is_in_place)
    code = wrong_side(arguments.sendcount, arguments.sendtype, send_facts);
  if (code != MPI_SUCCESS) return raise(code, arguments.comm);

  checked.receive.emplace(arguments.recvbuf, arguments.recvcount, arguments.recvtype, std::move(receive_facts),
                          comm.size, comm.comm());
  if (checked.is_in_place)
    checked.send.emplace(*checked.receive);
  else
    checked.send.emplace(arguments.sendbuf, arguments.sendcount, arguments.sendtype, std::move(send_facts), comm.size,
                         comm.comm());
  if (lacks_buffer(arguments.recvbuf, *checked.receive) ||
      (!checked.is_in_place && lacks_buffer(arguments.sendbuf, *checked.send)))
    return raise(MPI_ERR_BUFFER, arguments.comm);
  const std::int64_t out = checked.send->bytes(), in = checked.receive->bytes();
  if (out != in) return raise(out > in ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT, arguments.comm);
  if (arguments.algorithm == nullptr)
    checked.choice = {alltoall::find_algorithm(ours.has(in) ? "least-slots" : "library"), Asked::kEither};
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular
