// Vulkan driver in front of RADV's device without hardware, so that Dawn runs on it. Commands and submissions do
// nothing, waits return at once, memory is the host's, and no result is computed. Every compute pipeline is compiled
// with its statistics and assembly, which are written to $ISA_OUT/NNNN.txt.
// cc -O1 -shared -fPIC -o libnullicd.so nullicd.c -ldl; $ISA_ICD: path of libvulkan_radeon.so.
#define _GNU_SOURCE
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>
#include <vulkan/vk_icd.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PFN_vkGetInstanceProcAddr realGipa;
static PFN_vkGetDeviceProcAddr realGdpa;
static PFN_vkVoidFunction (*realGpdpa)(VkInstance, const char *);
static PFN_vkCreateDevice realCreateDevice;
static int quiet(void) { return 0; }

static void *lib(void) {
  static void *h;
  if (!h) {
    const char *p = getenv("ISA_ICD");
    h = dlopen(p, RTLD_NOW | RTLD_LOCAL);
    if (!h) { fprintf(stderr, "nullicd: %s\n", dlerror()); abort(); }
    realGipa = (PFN_vkGetInstanceProcAddr)dlsym(h, "vk_icdGetInstanceProcAddr");
    realGpdpa = (void *)dlsym(h, "vk_icdGetPhysicalDeviceProcAddr");
  }
  return h;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static VKAPI_ATTR VkResult VKAPI_CALL myCreateComputePipelines(VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *ci, const VkAllocationCallbacks *a, VkPipeline *out) {
  static int count;
  PFN_vkCreateComputePipelines real = (PFN_vkCreateComputePipelines)realGdpa(d, "vkCreateComputePipelines");
  VkResult all = VK_SUCCESS;
  for (uint32_t i = 0; i < n; i++) {
    VkComputePipelineCreateInfo x = ci[i];
    x.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    VkResult r = real(d, VK_NULL_HANDLE, 1, &x, a, out + i);
    if (r != VK_SUCCESS) { all = r; continue; }
    pthread_mutex_lock(&lock);
    char path[512];
    int id = ++count;
    snprintf(path, sizeof path, "%s/%04d.txt", getenv("ISA_OUT"), id);
    FILE *f = fopen(path, "w");
    VkPipelineInfoKHR pi = { VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, NULL, out[i] };
    PFN_vkGetPipelineExecutablePropertiesKHR props = (void *)realGdpa(d, "vkGetPipelineExecutablePropertiesKHR");
    PFN_vkGetPipelineExecutableStatisticsKHR stats = (void *)realGdpa(d, "vkGetPipelineExecutableStatisticsKHR");
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR reps = (void *)realGdpa(d, "vkGetPipelineExecutableInternalRepresentationsKHR");
    uint32_t ne = 0;
    if (props) props(d, &pi, &ne, NULL);
    VkPipelineExecutablePropertiesKHR *ep = calloc(ne ? ne : 1, sizeof *ep);
    for (uint32_t k = 0; k < ne; k++) ep[k].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    if (props) props(d, &pi, &ne, ep);
    for (uint32_t k = 0; k < ne; k++) {
      fprintf(f, "executable %s subgroup %u\n", ep[k].name, ep[k].subgroupSize);
      VkPipelineExecutableInfoKHR ei = { VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, NULL, out[i], k };
      uint32_t ns = 0;
      stats(d, &ei, &ns, NULL);
      VkPipelineExecutableStatisticKHR *st = calloc(ns, sizeof *st);
      for (uint32_t s = 0; s < ns; s++) st[s].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
      stats(d, &ei, &ns, st);
      for (uint32_t s = 0; s < ns; s++)
        fprintf(f, "stat %s = %llu\n", st[s].name, (unsigned long long)(st[s].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR ? (uint64_t)st[s].value.f64 : st[s].value.u64));
      uint32_t nr = 0;
      reps(d, &ei, &nr, NULL);
      VkPipelineExecutableInternalRepresentationKHR *re = calloc(nr, sizeof *re);
      for (uint32_t s = 0; s < nr; s++) re[s].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
      reps(d, &ei, &nr, re);
      for (uint32_t s = 0; s < nr; s++) re[s].pData = malloc(re[s].dataSize + 1);
      reps(d, &ei, &nr, re);
      for (uint32_t s = 0; s < nr; s++) fprintf(f, "@@@ %s\n%.*s\n", re[s].name, (int)re[s].dataSize, (char *)re[s].pData);
    }
    fclose(f);
    pthread_mutex_unlock(&lock);
  }
  return all;
}

static VKAPI_ATTR VkResult VKAPI_CALL myCreateDevice(VkPhysicalDevice pd, const VkDeviceCreateInfo *ci, const VkAllocationCallbacks *a, VkDevice *out) {
  VkDeviceCreateInfo x = *ci;
  const char **ext = calloc(ci->enabledExtensionCount + 1, sizeof *ext);
  uint32_t n = 0, has = 0;
  for (uint32_t i = 0; i < ci->enabledExtensionCount; i++) { ext[n++] = ci->ppEnabledExtensionNames[i]; has |= !strcmp(ext[i], "VK_KHR_pipeline_executable_properties"); }
  if (!has) ext[n++] = "VK_KHR_pipeline_executable_properties";
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR f = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, (void *)ci->pNext, VK_TRUE };
  x.enabledExtensionCount = n; x.ppEnabledExtensionNames = ext; x.pNext = &f;
  return realCreateDevice(pd, &x, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL myCreateInstance(const VkInstanceCreateInfo *ci, const VkAllocationCallbacks *a, VkInstance *out) {
  return ((PFN_vkCreateInstance)realGipa(NULL, "vkCreateInstance"))(ci, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL mySemaphoreValue(VkDevice d, VkSemaphore s, uint64_t *v) { *v = ~0ull >> 2; return VK_SUCCESS; }

// The null device has no memory: one type of it, lent by malloc, which nothing binds.
static void oneType(VkPhysicalDeviceMemoryProperties *m) {
  memset(m, 0, sizeof *m);
  m->memoryHeapCount = 1; m->memoryHeaps[0] = (VkMemoryHeap){ 16ull << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
  m->memoryTypeCount = 1; m->memoryTypes[0] = (VkMemoryType){ VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0 };
}
static VKAPI_ATTR void VKAPI_CALL myMemory(VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties *m) { oneType(m); }
static VKAPI_ATTR void VKAPI_CALL myMemory2(VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties2 *m) { oneType(&m->memoryProperties); }
static VKAPI_ATTR void VKAPI_CALL myNeeds(VkDevice d, VkBuffer b, VkMemoryRequirements *r) { ((PFN_vkGetBufferMemoryRequirements)realGdpa(d, "vkGetBufferMemoryRequirements"))(d, b, r); r->memoryTypeBits = 1; }
static VKAPI_ATTR void VKAPI_CALL myNeeds2(VkDevice d, const VkBufferMemoryRequirementsInfo2 *i, VkMemoryRequirements2 *r) { ((PFN_vkGetBufferMemoryRequirements2)realGdpa(d, "vkGetBufferMemoryRequirements2"))(d, i, r); r->memoryRequirements.memoryTypeBits = 1; }
static VKAPI_ATTR VkResult VKAPI_CALL myAllocate(VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a, VkDeviceMemory *m) { *m = (VkDeviceMemory)calloc(1, i->allocationSize + 4096); return *m ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY; }
static VKAPI_ATTR void VKAPI_CALL myFree(VkDevice d, VkDeviceMemory m, const VkAllocationCallbacks *a) { free((void *)m); }
static VKAPI_ATTR VkResult VKAPI_CALL myMap(VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f, void **p) { *p = (char *)m + o; return VK_SUCCESS; }

static VKAPI_ATTR VkResult VKAPI_CALL myHandle(VkDevice d, const void *i, const VkAllocationCallbacks *a, uint64_t *out) { static uint64_t n = 4096; *out = __sync_add_and_fetch(&n, 16); return VK_SUCCESS; }
static PFN_vkVoidFunction mine(const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL myGdpa(VkDevice d, const char *name) {
  PFN_vkVoidFunction f = realGdpa(d, name);
  if (!f) return NULL;
  PFN_vkVoidFunction m = mine(name);
  return m ? m : f;
}
static PFN_vkVoidFunction mine(const char *n) {
  if (!strcmp(n, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)myGdpa;
  if (!strcmp(n, "vkCreateDevice")) return (PFN_vkVoidFunction)myCreateDevice;
  if (!strcmp(n, "vkCreateInstance")) return (PFN_vkVoidFunction)myCreateInstance;
  if (!strcmp(n, "vkCreateComputePipelines")) return (PFN_vkVoidFunction)myCreateComputePipelines;
  if (!strcmp(n, "vkGetPhysicalDeviceMemoryProperties")) return (PFN_vkVoidFunction)myMemory;
  if (!strncmp(n, "vkGetPhysicalDeviceMemoryProperties2", 36)) return (PFN_vkVoidFunction)myMemory2;
  if (!strcmp(n, "vkGetBufferMemoryRequirements")) return (PFN_vkVoidFunction)myNeeds;
  if (!strncmp(n, "vkGetBufferMemoryRequirements2", 30)) return (PFN_vkVoidFunction)myNeeds2;
  if (!strcmp(n, "vkAllocateMemory")) return (PFN_vkVoidFunction)myAllocate;
  if (!strcmp(n, "vkFreeMemory")) return (PFN_vkVoidFunction)myFree;
  if (!strcmp(n, "vkMapMemory")) return (PFN_vkVoidFunction)myMap;
  if (!strcmp(n, "vkUnmapMemory") || !strncmp(n, "vkBindBufferMemory", 18) || !strcmp(n, "vkFlushMappedMemoryRanges") || !strcmp(n, "vkInvalidateMappedMemoryRanges")) return (PFN_vkVoidFunction)quiet;
  if (!strcmp(n, "vkCreateFence") || !strcmp(n, "vkCreateSemaphore")) return (PFN_vkVoidFunction)myHandle;
  if (!strcmp(n, "vkDestroyFence") || !strcmp(n, "vkDestroySemaphore") || !strcmp(n, "vkResetFences") || !strncmp(n, "vkUpdateDescriptorSet", 21)) return (PFN_vkVoidFunction)quiet;
  if (!strncmp(n, "vkGetSemaphoreCounterValue", 26)) return (PFN_vkVoidFunction)mySemaphoreValue;
  if (!strncmp(n, "vkCmd", 5) || !strcmp(n, "vkBeginCommandBuffer") || !strcmp(n, "vkEndCommandBuffer") || !strncmp(n, "vkQueueSubmit", 13) ||
      !strcmp(n, "vkQueueWaitIdle") || !strcmp(n, "vkDeviceWaitIdle") || !strcmp(n, "vkWaitForFences") || !strcmp(n, "vkGetFenceStatus") || !strncmp(n, "vkWaitSemaphores", 16) ||
      !strcmp(n, "vkResetCommandPool") || !strcmp(n, "vkResetCommandBuffer"))
    return (PFN_vkVoidFunction)quiet;
  return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance i, const char *name) {
  lib();
  PFN_vkVoidFunction f = realGipa(i, name);
  if (!f) return NULL;
  if (i && !realGdpa) realGdpa = (PFN_vkGetDeviceProcAddr)realGipa(i, "vkGetDeviceProcAddr");
  if (i && !realCreateDevice) realCreateDevice = (PFN_vkCreateDevice)realGipa(i, "vkCreateDevice");
  PFN_vkVoidFunction m = mine(name);
  return m ? m : f;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance i, const char *name) {
  lib();
  PFN_vkVoidFunction f = realGpdpa ? realGpdpa(i, name) : NULL;
  PFN_vkVoidFunction m = f ? mine(name) : NULL;
  return m ? m : f;
}
VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *v) {
  VkResult (*f)(uint32_t *) = (void *)dlsym(lib(), "vk_icdNegotiateLoaderICDInterfaceVersion");
  return f(v);
}
