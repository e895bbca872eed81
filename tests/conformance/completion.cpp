// Every completing procedure on a list of all kinds of requests: staged and native, sends and receives, null, persistent
// and inactive, generalised, to nobody; with statuses and without.
#include "counted.hpp"
#include "mixture.hpp"

using namespace conformance;

namespace {

// One by one, in an order of their own.
void by_wait(Mixture& all, bool ignored) {
  for (const int k : all.shuffled()) {
    MPI_Status status = marked_status();
    all.code(MPI_Wait(&all[k], ignored ? MPI_STATUS_IGNORE : &status));
    all.completed(k, ignored ? nullptr : &status);
  }
}

void by_test(Mixture& all, bool ignored) {
  for (const int k : all.shuffled()) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) {
      status = marked_status();
      all.code(MPI_Test(&all[k], &flag, ignored ? MPI_STATUS_IGNORE : &status));
    }
    all.completed(k, ignored ? nullptr : &status);
  }
}

void by_waitall(Mixture& all, bool ignored) {
  std::vector<MPI_Status> statuses(all.size(), marked_status());
  all.code(MPI_Waitall(all.size(), all.list(), ignored ? MPI_STATUSES_IGNORE : statuses.data()));
  for (int k = 0; k < all.size(); ++k) all.completed(k, ignored ? nullptr : &statuses[k]);
}

void by_testall(Mixture& all, bool ignored) {
  std::vector<MPI_Status> statuses;
  for (int flag = 0; flag == 0;) {
    statuses.assign(all.size(), marked_status());
    all.code(MPI_Testall(all.size(), all.list(), &flag, ignored ? MPI_STATUSES_IGNORE : statuses.data()));
  }
  for (int k = 0; k < all.size(); ++k) all.completed(k, ignored ? nullptr : &statuses[k]);
}

void by_waitany(Mixture& all, bool ignored) {
  for (;;) {
    MPI_Status status = marked_status();
    int index = -77;
    all.code(MPI_Waitany(all.size(), all.list(), &index, ignored ? MPI_STATUS_IGNORE : &status));
    if (index == MPI_UNDEFINED) return all.nothing_left(ignored ? nullptr : &status);
    all.completed(index, ignored ? nullptr : &status);
  }
}

void by_testany(Mixture& all, bool ignored) {
  for (;;) {
    MPI_Status status = marked_status();
    int index = -77, flag = 0;
    all.code(MPI_Testany(all.size(), all.list(), &index, &flag, ignored ? MPI_STATUS_IGNORE : &status));
    if (flag == 0) continue;
    if (index == MPI_UNDEFINED) return all.nothing_left(ignored ? nullptr : &status);
    all.completed(index, ignored ? nullptr : &status);
  }
}

template <class Some>
void by_some(Mixture& all, bool ignored, Some some) {
  for (;;) {
    std::vector<MPI_Status> statuses(all.size(), marked_status());
    std::vector<int> indices(all.size(), -77);
    int done = -77;
    all.code(some(all.size(), all.list(), &done, indices.data(), ignored ? MPI_STATUSES_IGNORE : statuses.data()));
    if (done == MPI_UNDEFINED) return;
    for (int k = 0; k < done; ++k) all.completed(indices[k], ignored ? nullptr : &statuses[k]);
  }
}

// What Request_get_status says is there from then on, though the request lives on until it is waited for.
void by_get_status(Mixture& all, bool ignored) {
  for (const int k : all.shuffled()) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) {
      status = marked_status();
      all.code(MPI_Request_get_status(all[k], &flag, ignored ? MPI_STATUS_IGNORE : &status));
    }
    all.delivered(k, ignored ? nullptr : &status);
    // A second time, and only then for good.
    int flag = 0;
    all.code(MPI_Request_get_status(all[k], &flag, MPI_STATUS_IGNORE));
    all.delivered(k, nullptr);
  }
  by_waitall(all, ignored);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
void by_get_status_all(Mixture& all, bool ignored) {
  std::vector<MPI_Status> statuses;
  for (int flag = 0; flag == 0;) {
    statuses.assign(all.size(), marked_status());
    all.code(MPI_Request_get_status_all(all.size(), all.list(), &flag, ignored ? MPI_STATUSES_IGNORE : statuses.data()));
  }
  for (int k = 0; k < all.size(); ++k) all.delivered(k, ignored ? nullptr : &statuses[k]);
  by_waitall(all, ignored);
}

void by_get_status_any(Mixture& all, bool ignored) {
  for (;;) {
    MPI_Status status = marked_status();
    int index = -77, flag = 0;
    all.code(MPI_Request_get_status_any(all.size(), all.list(), &index, &flag, ignored ? MPI_STATUS_IGNORE : &status));
    if (flag == 0) continue;
    if (index == MPI_UNDEFINED) return all.nothing_left(ignored ? nullptr : &status);
    all.delivered(index, ignored ? nullptr : &status);
    MPI_Wait(&all[index], &(status = marked_status()));
    all.completed(index, &status);
  }
}

void by_get_status_some(Mixture& all, bool ignored) {
  for (;;) {
    std::vector<MPI_Status> statuses(all.size(), marked_status());
    std::vector<int> indices(all.size(), -77);
    int done = -77;
    all.code(MPI_Request_get_status_some(all.size(), all.list(), &done, indices.data(),
                                         ignored ? MPI_STATUSES_IGNORE : statuses.data()));
    if (done == MPI_UNDEFINED) return;
    for (int k = 0; k < done; ++k) {
      all.delivered(indices[k], ignored ? nullptr : &statuses[k]);
      MPI_Status status = marked_status();
      MPI_Wait(&all[indices[k]], &status);
      all.completed(indices[k], &status);
    }
  }
}
#endif

const struct {
  const char* name;
  void (*complete)(Mixture&, bool ignored);
} kProcedures[] = {
    {"MPI_Wait", by_wait},
    {"MPI_Test", by_test},
    {"MPI_Waitall", by_waitall},
    {"MPI_Testall", by_testall},
    {"MPI_Waitany", by_waitany},
    {"MPI_Testany", by_testany},
    {"MPI_Waitsome", [](Mixture& all, bool ignored) { by_some(all, ignored, MPI_Waitsome); }},
    {"MPI_Testsome", [](Mixture& all, bool ignored) { by_some(all, ignored, MPI_Testsome); }},
    {"MPI_Request_get_status", by_get_status},
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    {"MPI_Request_get_status_all", by_get_status_all},
    {"MPI_Request_get_status_any", by_get_status_any},
    {"MPI_Request_get_status_some", by_get_status_some},
#endif
};

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 40, 4, [&](const Message& m) {
    for (const auto& procedure : kProcedures) {
      if (lacks(procedure.name)) continue;
      for (const bool ignored : {false, true}) {
        const std::string name = procedure.name + std::string(ignored ? ", statuses ignored," : ",") + " seed ";
        twin.compare(name + std::to_string(m.seed), [&](Transcript& seen) {
          Mixture all(twin, m);
          twin.half_time();
          procedure.complete(all, ignored);
          all.finish(seen);
        });
      }
    }
  });
  return 0;
}
