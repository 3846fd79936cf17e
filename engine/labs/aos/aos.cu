// Particles that move for one step in an electric field: as an array of structures, as an array for each field, and as arrays of what is
// used together.
#include "../lab.h"

constexpr int threads = 256;
constexpr float dt = 0.5f;
// Of the field, along x.
constexpr float strength = 2.0f;
__host__ __device__ inline float push(float charge, float inverseMass) { return strength * charge * inverseMass * dt; }

// 64 bytes, of which a step uses 32.
struct Particle {
  float x, y, z, vx, vy, vz, inverseMass, charge;
  float spin[3], force[3];
  int kind, cell;
};

__global__ void moveStructures(const Particle *in, float *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i].x + (in[i].vx + push(in[i].charge, in[i].inverseMass)) * dt;
  out[i + n] = in[i].y + in[i].vy * dt;
  out[i + 2 * n] = in[i].z + in[i].vz * dt;
}

// A field after the other, each with n elements.
__global__ void moveArrays(const float *fields, float *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  const float pushed = push(fields[i + 6 * n], fields[i + 7 * n]);
  for (int axis = 0; axis < 3; ++axis)
    out[i + axis * n] = fields[i + axis * n] + (fields[i + (axis + 3) * n] + (axis == 0 ? pushed : 0.0f)) * dt;
}

// What is used together lies together, in pieces that one load takes: position and charge, velocity and inverse mass.
__global__ void moveQuads(const float4 *places, const float4 *speeds, float *out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  const float4 at = places[i], by = speeds[i];
  out[i] = at.x + (by.x + push(at.w, by.w)) * dt;
  out[i + n] = at.y + by.y * dt;
  out[i + 2 * n] = at.z + by.z * dt;
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 20);
  const int n = lab.size, blocks = (n + threads - 1) / threads;
  std::vector<Particle> particles(n);
  std::vector<float> arrays(8 * size_t(n));
  std::vector<float4> placesOf(n), speedsOf(n);
  for (int i = 0; i < n; ++i) {
    const float x = float(i % 1021), y = float(i % 509), z = float(i % 251), vx = float(i % 7), vy = float(i % 5), vz = float(i % 3);
    const float charge = float(i % 3 - 1), inverseMass = float(i % 4);
    particles[i] = {x, y, z, vx, vy, vz, inverseMass, charge, {}, {}, i % 4, i / 64};
    const float fields[] = {x, y, z, vx, vy, vz, charge, inverseMass};
    for (int field = 0; field < 8; ++field) arrays[size_t(field) * n + i] = fields[field];
    placesOf[i] = make_float4(x, y, z, charge);
    speedsOf[i] = make_float4(vx, vy, vz, inverseMass);
  }
  Device<float> out(3 * size_t(n));

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) {
      const Particle &p = particles[i];
      count += result[i] != p.x + p.vx / 2 + p.charge * p.inverseMass / 2 || result[i + n] != p.y + p.vy / 2 ||
               result[i + 2 * size_t(n)] != p.z + p.vz / 2;
    }
    return count;
  };
  if (lab.wants("aos")) {
    Device<Particle> structures(particles);
    lab.variant("aos", out, [&] { moveStructures<<<blocks, threads>>>(structures, out, n); }, wrong);
  }
  if (lab.wants("hybrid")) {
    Device<float4> places(placesOf), speeds(speedsOf);
    lab.variant("hybrid", out, [&] { moveQuads<<<blocks, threads>>>(places, speeds, out, n); }, wrong);
  }
  if (lab.wants("soa")) {
    Device<float> fields(arrays);
    lab.variant("soa", out, [&] { moveArrays<<<blocks, threads>>>(fields, out, n); }, wrong);
  }
  return lab.end();
}
