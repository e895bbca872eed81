/* flow: the steady flow in a square cavity whose lid moves, by Jacobi iteration.
 *
 * The plane, incompressible Navier-Stokes equations in stream function psi and vorticity zeta, with u = d psi/dy and
 * v = -d psi/dx, on a lattice of spacing 1 (y counts upwards, rows downwards):
 *
 *     laplace psi = -zeta                        psi'  = (sum of the four neighbours' psi + zeta) / 4
 *     u d zeta/dx + v d zeta/dy                  zeta' = (sum of the four neighbours' zeta) / 4
 *         = nu laplace zeta                              - ((psi_N - psi_S) (zeta_E - zeta_W)
 *                                                           - (psi_E - psi_W) (zeta_N - zeta_S)) / (16 nu)
 *
 * by central differences; every site's new values are of the old values around it. The walls lie one site beyond the
 * field: psi is 0 there, and zeta is what keeps the fluid at the wall's speed to first order (Thom): -2 psi of the next
 * site inwards, and at the lid, which moves across with speed 1, less 2 more. The Reynolds number, by lid and longer
 * side, is 100, or so much less that the Reynolds number of a lattice cell stays below 2, beyond which central
 * differences oscillate.
 *
 * A site holds psi and zeta side by side. It needs as many steps as there are sites until the flow is steady; a short
 * run shows its beginning. In the unit cavity the vortex is then as strong as 0.1034 (Ghia, Ghia and Shin, 1982); what
 * is printed as `vortex` is this, the greatest |psi| by the side.
 *
 *   mpicc -O3 -ffp-contract=off flow.c {shared,halo}/?*.c -lm -o flow
 *   mpiexec -n 4 ./flow --size 64 --steps 20000
 *
 * Without -ffp-contract=off a compiler may fuse multiplications and additions in one loop and not in another, and the
 * last bits of the result would depend on how the field is cut.
 */
#include <math.h>

#include "shared/application.h"

typedef struct {
  double psi, zeta;
} FlowSite;

static int longer_side(const Grid* grid) {
  return grid->rows > grid->columns ? grid->rows : grid->columns;
}

static const double kReynolds = 100.0, kCellReynolds = 1.5;

/* The lid's speed is 1, and so is a cell's side. */
static double viscosity(const Grid* grid) {
  const double wanted = longer_side(grid) / kReynolds, least = 1.0 / kCellReynolds;
  return wanted > least ? wanted : least;
}

/* At rest, walls and all. */
static void begin(const Domain* domain) {
  for (int array = 0; array < 2; ++array) {
    FlowSite* sites = (FlowSite*)domain->arrays[array];
    for (size_t i = 0; i < domain->array_sites; ++i) sites[i] = (FlowSite){0.0, 0.0};
  }
}

/* The vorticity of the walls around the region, of the field as it is now. */
static void set_walls(const Domain* domain, void* field, Region region) {
  for (int side = -1; side <= 1; side += 2) {
    if (at_border(domain, side, 0)) {
      const int edge = side < 0 ? region.first_row : region.end_row - 1;
      const double lid = side < 0 ? 2.0 : 0.0; /* the first row is the top */
      const FlowSite* inner = site_at(domain, field, edge, 0);
      FlowSite* wall = site_at(domain, field, edge + side, 0);
      for (int j = region.first_column; j < region.end_column; ++j) wall[j].zeta = -2.0 * inner[j].psi - lid;
    }
    if (at_border(domain, 0, side)) {
      const int edge = side < 0 ? region.first_column : region.end_column - 1;
      for (int i = region.first_row; i < region.end_row; ++i) {
        const FlowSite* inner = site_at(domain, field, i, edge);
        FlowSite* wall = site_at(domain, field, i, edge + side);
        wall->zeta = -2.0 * inner->psi;
      }
    }
  }
}

static void step(const Domain* domain, void* from, void* to, Region region) {
  set_walls(domain, from, region);
  const double flux = 1.0 / (16.0 * viscosity(domain->grid));
  for (int i = region.first_row; i < region.end_row; ++i) {
    const FlowSite* north = site_at(domain, from, i - 1, 0);
    const FlowSite* row = site_at(domain, from, i, 0);
    const FlowSite* south = site_at(domain, from, i + 1, 0);
    FlowSite* restrict next = site_at(domain, to, i, 0);
    for (int j = region.first_column; j < region.end_column; ++j) {
      const FlowSite n = north[j], s = south[j], w = row[j - 1], e = row[j + 1];
      next[j].psi = 0.25 * (((n.psi + s.psi) + (w.psi + e.psi)) + row[j].zeta);
      next[j].zeta = 0.25 * ((n.zeta + s.zeta) + (w.zeta + e.zeta)) -
                     flux * ((n.psi - s.psi) * (e.zeta - w.zeta) - (e.psi - w.psi) * (n.zeta - s.zeta));
    }
  }
}

static double vortex(const Domain* domain, void* array) {
  double most = 0.0;
  for (int i = 0; i < domain->grid->block_rows; ++i) {
    const FlowSite* row = site_at(domain, array, i, 0);
    for (int j = 0; j < domain->grid->block_columns; ++j) most = fmax(most, fabs(row[j].psi));
  }
  return most / (longer_side(domain->grid) + 1); /* from wall to wall */
}

int main(int argc, char** argv) {
  const Application flow = {
      .name = "flow",
      .what =
          "The flow in a cavity whose lid moves, by Jacobi iteration of stream function and vorticity; a site is two\n"
          "doubles.",
      .site = {MPI_DOUBLE, sizeof(double), 2},
      .rows = 1024,
      .columns = 1024,
      .steps = 100,
      .begin = begin,
      .step = step,
      .gauge_name = "vortex",
      .gauge = vortex,
  };
  return run_application(argc, argv, &flow);
}
