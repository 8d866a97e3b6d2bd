// Kernel interface of an Intel GPU that is not there, so that Mesa's ANV opens and compiles for it. Loaded before libdrm
// and libc (LD_PRELOAD). It lists one PCI device whose node is /dev/zero, which gives memory wherever it is mapped, and
// answers the requests of the kernel's i915 driver; submitted work is not run.
// cc -O1 -shared -fPIC -I DIR/libdrm -o libnullintel.so nullintel.c -ldl; $ISA_INTEL: PCI id in hexadecimal, cores (Xe
// cores, or dual subslices), execution units of a core.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <i915_drm.h>
#include <xf86drm.h>

static unsigned id, cores, units;

static int described(void) {
  const char *text = getenv("ISA_INTEL");
  return text && sscanf(text, "%x %u %u", &id, &cores, &units) == 3;
}

// ---- the list of devices ----

static drmDevicePtr onlyDevice(void) {
  static char node[] = "/dev/zero";
  static char *nodes[DRM_NODE_MAX] = { node, node, node };
  static drmPciBusInfo bus = { 0, 0, 2, 0 };
  static drmPciDeviceInfo info = { .vendor_id = 0x8086 };
  static drmDevice device = { nodes, 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER, DRM_BUS_PCI };
  if (!described()) return NULL;
  info.device_id = id;
  device.businfo.pci = &bus;
  device.deviceinfo.pci = &info;
  return &device;
}

int drmGetDevices2(uint32_t flags, drmDevicePtr list[], int most) {
  drmDevicePtr device = onlyDevice();
  if (!device) return 0;
  if (list && most > 0) list[0] = device;
  return 1;
}
int drmGetDevices(drmDevicePtr list[], int most) { return drmGetDevices2(0, list, most); }
int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device) { return (*device = onlyDevice()) ? 0 : -ENODEV; }
int drmGetDevice(int fd, drmDevicePtr *device) { return drmGetDevice2(fd, 0, device); }
void drmFreeDevice(drmDevicePtr *device) { *device = NULL; }
void drmFreeDevices(drmDevicePtr list[], int count) {}

// ---- the requests ----

static int refuse(int error) { errno = error; return -1; }

static void text(char *into, __kernel_size_t *length, const char *is) {
  if (into) memcpy(into, is, *length < strlen(is) ? *length : strlen(is));
  *length = strlen(is);
}

static int version(struct drm_version *v) {
  v->version_major = 1;
  text(v->name, &v->name_len, "i915");
  text(v->date, &v->date_len, "0");
  text(v->desc, &v->desc_len, "0");
  return 0;
}

static int parameter(struct drm_i915_getparam *p) {
  switch (p->param) {
  case I915_PARAM_CHIPSET_ID: *p->value = id; return 0;
  case I915_PARAM_REVISION: *p->value = 4; return 0;
  case I915_PARAM_CS_TIMESTAMP_FREQUENCY: *p->value = 19200000; return 0;
  case I915_PARAM_MMAP_VERSION:
  case I915_PARAM_MMAP_GTT_VERSION: *p->value = 4; return 0;
  case I915_PARAM_EU_TOTAL: *p->value = cores * units; return 0;
  case I915_PARAM_SUBSLICE_TOTAL: *p->value = cores; return 0;
  case I915_PARAM_HAS_WAIT_TIMEOUT:
  case I915_PARAM_HAS_EXECBUF2:
  case I915_PARAM_HAS_EXEC_SOFTPIN:
  case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
  case I915_PARAM_HAS_EXEC_ASYNC:
  case I915_PARAM_HAS_EXEC_CAPTURE:
  case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
  case I915_PARAM_HAS_CONTEXT_ISOLATION: *p->value = 1; return 0;
  default: return refuse(ENODEV);
  }
}

// Bit masks: one slice, its cores, and the units of each core.
static size_t topology(struct drm_i915_query_topology_info *t) {
  const unsigned coreBytes = (cores + 7) / 8, unitBytes = (units + 7) / 8;
  if (t) {
    t->max_slices = 1;
    t->max_subslices = cores;
    t->max_eus_per_subslice = units;
    t->subslice_offset = 1;
    t->subslice_stride = coreBytes;
    t->eu_offset = 1 + coreBytes;
    t->eu_stride = unitBytes;
    t->data[0] = 1;
    for (unsigned c = 0; c < cores; c++) t->data[1 + c / 8] |= 1 << c % 8;
    for (unsigned c = 0; c < cores; c++)
      for (unsigned u = 0; u < units; u++) t->data[1 + coreBytes + c * unitBytes + u / 8] |= 1 << u % 8;
  }
  return sizeof *t + 1 + coreBytes + cores * unitBytes;
}

static size_t engines(struct drm_i915_query_engine_info *e) {
  if (e) {
    e->num_engines = 2;
    e->engines[0].engine.engine_class = I915_ENGINE_CLASS_RENDER;
    e->engines[1].engine.engine_class = I915_ENGINE_CLASS_COPY;
  }
  return sizeof *e + 2 * sizeof e->engines[0];
}

// System memory, and as much of the device's own, which a GPU without any ignores.
static size_t regions(struct drm_i915_query_memory_regions *m) {
  for (int r = 0; m && r < 2; r++) {
    m->num_regions = 2;
    m->regions[r].region.memory_class = r ? I915_MEMORY_CLASS_DEVICE : I915_MEMORY_CLASS_SYSTEM;
    m->regions[r].probed_size = m->regions[r].unallocated_size = 32ull << 30;
  }
  return sizeof *m + 2 * sizeof m->regions[0];
}

static int query(struct drm_i915_query *q) {
  struct drm_i915_query_item *items = (void *)(uintptr_t)q->items_ptr;
  for (unsigned i = 0; i < q->num_items; i++) {
    void *into = items[i].length ? (void *)(uintptr_t)items[i].data_ptr : NULL;
    switch (items[i].query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
    case DRM_I915_QUERY_GEOMETRY_SUBSLICES:
      items[i].length = topology(into); break;
    case DRM_I915_QUERY_ENGINE_INFO: items[i].length = engines(into); break;
    case DRM_I915_QUERY_MEMORY_REGIONS: items[i].length = regions(into); break;
    default: items[i].length = -EINVAL;
    }
  }
  return 0;
}

static int answer(unsigned long request, void *arg) {
  static uint32_t handle = 1;
  switch (request) {
  case DRM_IOCTL_VERSION: return version(arg);
  case DRM_IOCTL_GET_CAP: ((struct drm_get_cap *)arg)->value = 1; return 0;
  case DRM_IOCTL_I915_GETPARAM: return parameter(arg);
  case DRM_IOCTL_I915_QUERY: return query(arg);
  case DRM_IOCTL_I915_GEM_GET_APERTURE:
    ((struct drm_i915_gem_get_aperture *)arg)->aper_size = 1ull << 48;
    return 0;
  case DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM: {
    struct drm_i915_gem_context_param *p = arg;
    if (p->param != I915_CONTEXT_PARAM_GTT_SIZE) return refuse(EINVAL);
    p->value = 1ull << 48;
    return 0;
  }
  case DRM_IOCTL_I915_GEM_CREATE: ((struct drm_i915_gem_create *)arg)->handle = handle++; return 0;
  case DRM_IOCTL_I915_GEM_CREATE_EXT: ((struct drm_i915_gem_create_ext *)arg)->handle = handle++; return 0;
  case DRM_IOCTL_I915_GEM_USERPTR: ((struct drm_i915_gem_userptr *)arg)->handle = handle++; return 0;
  case DRM_IOCTL_I915_GEM_CONTEXT_CREATE: ((struct drm_i915_gem_context_create *)arg)->ctx_id = handle++; return 0;
  case DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT: ((struct drm_i915_gem_context_create_ext *)arg)->ctx_id = handle++; return 0;
  case DRM_IOCTL_SYNCOBJ_CREATE: ((struct drm_syncobj_create *)arg)->handle = handle++; return 0;
  case DRM_IOCTL_I915_GEM_MMAP_OFFSET: ((struct drm_i915_gem_mmap_offset *)arg)->offset = 0; return 0;
  case DRM_IOCTL_I915_GEM_GET_TILING:
  case DRM_IOCTL_I915_REG_READ: return refuse(EINVAL);
  default: return 0; // Created, closed, waited for and submitted at once.
  }
}

int ioctl(int fd, unsigned long request, ...) {
  static int (*real)(int, unsigned long, ...);
  va_list list;
  va_start(list, request);
  void *arg = va_arg(list, void *);
  va_end(list);
  if (_IOC_TYPE(request) == DRM_IOCTL_BASE && described()) return answer(request, arg);
  if (!real) real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return real(fd, request, arg);
}
