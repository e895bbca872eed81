// Independent file operations with derived types in memory, under views of several kinds. Compiled with and without
// large counts.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

constexpr unsigned char kFilled = 0xa5;
constexpr MPI_Offset kRegion = 1 << 22;  // of the file, for each rank

// One file of both ranks, opened for a scenario.
class File {
 public:
  File(Twin& twin, const std::string& path, int mode) : first_(twin.rank() * kRegion) {
    MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_);
    descriptor_ = open(path.c_str(), O_RDWR);
    CHECK(file_ != MPI_FILE_NULL && descriptor_ >= 0, "%s", path.c_str());
  }
  ~File() {
    close(descriptor_);
    MPI_File_close(&file_);
  }
  MPI_File handle() const { return file_; }
  MPI_Offset first() const { return first_; }
  // Past the library.
  void fill(MPI_Offset bytes) const {
    const std::vector<unsigned char> gap(static_cast<std::size_t>(bytes), kFilled);
    CHECK(pwrite(descriptor_, gap.data(), gap.size(), first_) == bytes, "the file cannot be written");
  }
  bool holds(const std::vector<unsigned char>& image) const {
    std::vector<unsigned char> found(image.size());
    return pread(descriptor_, found.data(), found.size(), first_) == static_cast<ssize_t>(found.size()) &&
           found == image;
  }

 private:
  MPI_File file_ = MPI_FILE_NULL;
  int descriptor_ = -1;
  MPI_Offset first_;
};

void view(const File& file, MPI_Datatype etype, MPI_Datatype filetype, const char* representation, Transcript& seen) {
  const int code = MPI_File_set_view(file.handle(), file.first(), etype, filetype, representation, MPI_INFO_NULL);
  seen.note("view", test::error_class(code));
}

// How the bytes that a view shows lie in the file.
struct Shown {
  MPI_Offset etype;
  MPI_Offset (*place)(MPI_Offset at);
};
using Image = std::vector<unsigned char>;

Image pack(const Message& m, test::Field& field) {
  Image packed(static_cast<std::size_t>(m.span.size));
  int position = 0;
  MPI_Pack(field.buffer(), m.count, m.type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
  return packed;
}

// `field`, as it was, with the message's bytes replaced.
test::Field unpack(const Message& m, test::Field field, const Image& packed) {
  int position = 0;
  MPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, field.buffer(), m.count, m.type, MPI_COMM_SELF);
  return field;
}

// How often the layer has packed or unpacked for files.
long long converted_calls(const Twin& twin) {
  long long sum = 0;
  for (const char* const name : {COUNTED_NAME(MPI_File_write_at), COUNTED_NAME(MPI_File_read_at),
                                 COUNTED_NAME(MPI_File_write), COUNTED_NAME(MPI_File_read)})
    sum += twin.layer().accelerated(name);
  return sum;
}

// At an offset and back; then from the file pointer on, twice, so that the second place shows how far it went. Codes,
// statuses and the pointer are the library's own; data are compared with what the standard says.
void to_and_fro(Twin& twin, const File& file, const Message& m, const Shown& shown, MPI_Offset room, Transcript& seen) {
  constexpr MPI_Offset kAt = 24;
  file.fill(room);
  test::Field from = m.field(1), to = m.field(2), next = m.field(3), again = m.field(4);
  const Image sent = pack(m, from);
  const MPI_Offset size = m.span.size;
  Image image(static_cast<std::size_t>(room), kFilled), first(sent.size());
  const auto in_file = [&](MPI_Offset at) -> unsigned char& {
    return image[static_cast<std::size_t>(shown.place(at))];
  };
  const long long before = converted_calls(twin);

  MPI_Status status = marked_status();
  const MPI_File f = file.handle();
  seen.note("write_at", COUNTED(MPI_File_write_at)(f, kAt, from.buffer(), m.count, m.type, &status));
  seen.note_status("write_at", status, m.type);
  for (MPI_Offset k = 0; k < size; ++k) in_file(kAt * shown.etype + k) = sent[static_cast<std::size_t>(k)];
  status = marked_status();
  seen.note("read_at", COUNTED(MPI_File_read_at)(f, kAt, to.buffer(), m.count, m.type, &status));
  seen.note_status("read_at", status, m.type);
  MPI_File_seek(f, 0, MPI_SEEK_SET);
  for (MPI_Offset k = 0; k < size; ++k) first[static_cast<std::size_t>(k)] = in_file(k);
  seen.note("read", COUNTED(MPI_File_read)(f, next.buffer(), m.count, m.type, MPI_STATUS_IGNORE));
  status = marked_status();
  seen.note("write", COUNTED(MPI_File_write)(f, from.buffer(), m.count, m.type, &status));
  seen.note_status("write", status, m.type);
  for (MPI_Offset k = 0; k < size; ++k) in_file(size + k) = sent[static_cast<std::size_t>(k)];
  MPI_Offset position = -1;
  MPI_File_get_position(f, &position);
  seen.note("position", position);
  MPI_File_seek(f, -position / 2, MPI_SEEK_CUR);
  status = marked_status();
  seen.note("read again", COUNTED(MPI_File_read)(f, again.buffer(), m.count, m.type, &status));
  seen.note_status("read again", status, m.type);

  if (converted_calls(twin) != before + 5) return;
  CHECK(from == m.field(1), "what was written from has changed");
  CHECK(to == unpack(m, m.field(2), sent), "read_at");
  CHECK(next == unpack(m, m.field(3), first), "read");
  CHECK(again == unpack(m, m.field(4), sent), "read again");
  CHECK(file.holds(image), "what is in the file");
}

void by_bytes(Twin& twin, const std::string& path, const Message& m, Transcript& seen) {
  const File file(twin, path, MPI_MODE_RDWR | MPI_MODE_CREATE);
  view(file, MPI_BYTE, MPI_BYTE, "native", seen);
  to_and_fro(twin, file, m, {1, [](MPI_Offset at) { return at; }}, 3 * m.span.size + 64, seen);
}

// Blocks of the file with gaps between them, which must keep what they hold.
void by_blocks(Twin& twin, const std::string& path, const Message& m, Transcript& seen) {
  const File file(twin, path, MPI_MODE_RDWR | MPI_MODE_CREATE);
  MPI_Datatype blocks, spread;
  MPI_Type_vector(2, 192, 320, MPI_BYTE, &blocks);
  MPI_Type_create_resized(blocks, 0, 640, &spread);
  MPI_Type_commit(&spread);
  view(file, MPI_BYTE, spread, "native", seen);
  const auto place = [](MPI_Offset at) { return at / 384 * 640 + at % 384 / 192 * 320 + at % 192; };
  to_and_fro(twin, file, m, {1, place}, 6 * m.span.size + 4096, seen);
  MPI_Type_free(&spread);
  MPI_Type_free(&blocks);
}

// The file ends inside of the message, and before it. Judged by what must come, not by the library's own way: ROMIO's
// reads of types with gaps are said to be whole in MPICH 5.0.2, whatever the file held.
void short_read(Twin& twin, const std::string& path, const Message& m, Transcript& seen) {
  const File file(twin, path + ".short", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  view(file, MPI_BYTE, MPI_BYTE, "native", seen);
  MPI_Barrier(MPI_COMM_WORLD);
  const MPI_Offset held = m.span.size / 2 + 1;
  if (twin.rank() == 1) file.fill(held);
  MPI_Barrier(MPI_COMM_WORLD);
  const char* const name = COUNTED_NAME(MPI_File_read_at);
  for (const MPI_Offset at : {MPI_Offset{0}, held - 1, held, held + 7}) {
    test::Field to = m.field(5), expected = m.field(5);
    MPI_Status status = marked_status();
    const long long before = twin.layer().accelerated(name);
    const int code =
        COUNTED(MPI_File_read_at)(file.handle(), kRegion + at - file.first(), to.buffer(), m.count, m.type, &status);
    seen.note("read_at", test::error_class(code));
    if (twin.layer().accelerated(name) == before) continue;
    const auto bytes = static_cast<int>(std::min<MPI_Offset>(m.span.size, std::max<MPI_Offset>(0, held - at)));
    int read = -1;
    MPI_Get_count(&status, MPI_BYTE, &read);
    CHECK(read == bytes, "%d bytes read, not %d", read, bytes);
    Image packed = pack(m, expected);
    std::fill_n(packed.begin(), bytes, kFilled);
    expected = unpack(m, expected, packed);
    CHECK(to == expected, "bytes differ from %zu on", to.first_difference(expected));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

Message some_ints() {
  Message m{MPI_DATATYPE_NULL, 3, {}, 77};
  MPI_Type_vector(50, 2, 5, MPI_INT, &m.type);
  MPI_Type_commit(&m.type);
  m.span = test::span_of(m.type, m.count);
  return m;
}

// Elements of the file that are no bytes, alone and with gaps.
void by_elements(Twin& twin, const std::string& path, Transcript& seen) {
  Message m = some_ints();
  MPI_Datatype every_other;
  MPI_Type_create_resized(MPI_INT, 0, 8, &every_other);
  MPI_Type_commit(&every_other);
  {
    const File file(twin, path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    const MPI_Offset room = 8 * m.span.size;
    view(file, MPI_INT, MPI_INT, "native", seen);
    to_and_fro(twin, file, m, {4, [](MPI_Offset at) { return at; }}, room, seen);
    view(file, MPI_INT, every_other, "native", seen);
    to_and_fro(twin, file, m, {4, [](MPI_Offset at) { return at / 4 * 8 + at % 4; }}, room, seen);
  }
  MPI_Type_free(&every_other);
  MPI_Type_free(&m.type);
}

// In another representation the layer keeps away, also when the view is native again. The data are not compared: what
// Open MPI 5.0.11 writes and reads then is not always the same without the layer.
void converted(Twin& twin, const std::string& path, const char* representation, Transcript& seen) {
  Message m = some_ints();
  {
    const File file(twin, path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    const long long before = twin.layer().accelerated(COUNTED_NAME(MPI_File_write_at));
    test::Field from = m.field(1);
    for (const char* of : {representation, "native"}) {
      view(file, MPI_INT, MPI_INT, of, seen);
      const int code = COUNTED(MPI_File_write_at)(file.handle(), 3, from.buffer(), m.count, m.type, MPI_STATUS_IGNORE);
      seen.note("write_at", test::error_class(code));
    }
    CHECK(twin.layer().accelerated(COUNTED_NAME(MPI_File_write_at)) == before, "%s was packed", representation);
  }
  MPI_Type_free(&m.type);
}

void refused(Twin& twin, const std::string& path, const Message& m, Transcript& seen) {
  {
    const File made(twin, path, MPI_MODE_RDWR | MPI_MODE_CREATE);
  }
  const File file(twin, path, MPI_MODE_RDONLY);
  test::Field field = m.field(6);
  const MPI_File f = file.handle();
  const auto note = [&](int code) { seen.note("class", test::error_class(code)); };
  note(COUNTED(MPI_File_write_at)(f, 0, field.buffer(), m.count, m.type, MPI_STATUS_IGNORE));
  note(COUNTED(MPI_File_write)(f, field.buffer(), m.count, m.type, MPI_STATUS_IGNORE));
  note(COUNTED(MPI_File_read_at)(f, -5, field.buffer(), m.count, m.type, MPI_STATUS_IGNORE));
  note(COUNTED(MPI_File_read)(f, field.buffer(), -1, m.type, MPI_STATUS_IGNORE));
  note(COUNTED(MPI_File_read)(f, field.buffer(), 0, m.type, MPI_STATUS_IGNORE));
#if !defined(MPI_ABI)  // with which MPICH 5.0.2 crashes, without the layer too
  note(COUNTED(MPI_File_read_at)(MPI_FILE_NULL, 0, field.buffer(), m.count, m.type, MPI_STATUS_IGNORE));
#endif
  seen.note_bytes("memory", field);
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_COUNTED
  (void)argc, (void)argv;
  std::puts("skipped: this library has no large counts");
  return kSkipped;
#else
  Twin twin(&argc, &argv);
  int id = static_cast<int>(getpid());
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const bool intel = test::library_is("Intel");
  const std::string path = "/tmp/gapless-conformance-files-" + std::to_string(id);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 64, 5, [&](const Message& m) {
    // The large ones: others, as a vector of a negative stride, resized, Intel MPI 2021.19 writes and reads wrongly
    // without the layer, or writes past the end of its own memory.
    if (intel && m.seed % 8 != 7) return;
    const std::string s = " seed " + std::to_string(m.seed);
    twin.compare("bytes" + s, [&](Transcript& seen) { by_bytes(twin, path, m, seen); });
    twin.compare("blocks" + s, [&](Transcript& seen) { by_blocks(twin, path, m, seen); });
    twin.compare("short" + s, [&](Transcript& seen) { short_read(twin, path, m, seen); });
    twin.compare("refused" + s, [&](Transcript& seen) { refused(twin, path, m, seen); });
  });
  twin.compare("elements", [&](Transcript& seen) { by_elements(twin, path, seen); });
  for (const char* representation : {"internal", "external32"})
    twin.compare(representation, [&](Transcript& seen) { converted(twin, path, representation, seen); });
  if (twin.rank() == 0) unlink(path.c_str());
  return 0;
#endif
}
