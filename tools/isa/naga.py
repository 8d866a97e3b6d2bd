"""Compiles every form of every kernel with naga, Firefox's compiler, by the package wgpu of PyPI.

    npm run isa -- --sources forms.json
    pip install wgpu && python tools/isa/naga.py forms.json

Prints the adapter, how many forms compile, and for each reason of a refusal how many forms it refuses; then the same
without the line "enable subgroups;", which naga does not know although it knows the functions. Exits with 1 if a form
is refused for another reason.
"""

import collections
import json
import sys

import wgpu

ENABLE = "enable subgroups;"


def opened():
    adapter = wgpu.gpu.request_adapter_sync()
    native = wgpu.backends.wgpu_native.__version__
    print(f"{adapter.info.get('device')}, wgpu {wgpu.__version__}, wgpu-native {native}")
    features = [name for name in ("shader-f16", "subgroup") if name in adapter.features]
    prefixes = ("max-compute", "max-storage", "max-bind")
    limits = {name: most for name, most in adapter.limits.items() if name.startswith(prefixes)}
    return adapter.request_device_sync(required_features=features, required_limits=limits)


def refusal(device, name, code):
    try:
        module = device.create_shader_module(code=code)
        device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": name})
        return None
    except wgpu.GPUError as error:
        lines = [line.strip() for line in str(error).splitlines() if "error" in line]
        return lines[-1][:200] if lines else str(error)[:200]


def main():
    device = opened()
    with open(sys.argv[1], encoding="utf-8") as file:
        forms = json.load(file)
    left = 0
    for what, change in (("as they are", lambda code: code), (f'without "{ENABLE}"', lambda code: code.replace(ENABLE, ""))):
        refused = collections.Counter()
        for form in forms:
            why = refusal(device, form["name"], change(form["code"]))
            if why:
                refused[f"{form['name']}: {why}"] += 1
        left = sum(refused.values())
        print(f"{what}: {len(forms) - left} of {len(forms)} forms compile")
        for why, count in refused.most_common():
            print(f"  {count} of {why}")
    return 1 if left else 0


sys.exit(main())
