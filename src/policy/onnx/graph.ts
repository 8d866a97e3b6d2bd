/**
 * ONNX graph under construction: nodes named after their results, weights and small constants stored once, and
 * conversion to bytes, with the weights inside the model or in a file beside it (a protobuf message holds at most 2
 * GB). Treats operators as names and is independent of transformers.
 */
import {
  attributeType,
  encodeOnnx,
  type OnnxAttribute,
  type OnnxNode,
  type OnnxTensor,
  type OnnxType,
  type OnnxValue,
  onnxType,
} from './proto.ts';

/** Value of an attribute. A plain number is an integer; a fraction is written `{ float }`. */
type AttributeValue = number | readonly number[] | string | { float: number };

export interface NodeOptions {
  attributes?: { [name: string]: AttributeValue };
  /** Operator domain; '' is ONNX's own. */
  domain?: string;
}

/** Name of the file beside the model, as in the Hub's exports. */
export const externalFile = 'model.onnx_data';

export interface OnnxFiles {
  model: Uint8Array;
  /** Pieces of `model.onnx_data`, in order; empty if the weights are inside the model. */
  data: Uint8Array[];
}

/** Alignment of the weights in the external file, in bytes, so that they can be memory-mapped. */
const alignment = 4096;

function attribute(name: string, value: AttributeValue): OnnxAttribute {
  if (typeof value === 'number') return { name, type: attributeType.int, i: value };
  if (typeof value === 'string') return { name, type: attributeType.string, s: new TextEncoder().encode(value) };
  if ('float' in value) return { name, type: attributeType.float, f: value.float };
  return { name, type: attributeType.ints, ints: [...value] };
}

const littleEndianBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Describes an input or output. A dimension given by name has a free size. */
export function valueInfo(name: string, type: OnnxType, shape: readonly (number | string)[]): OnnxValue {
  const dim = shape.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: onnxType[type], shape: { dim } } } };
}

export class OnnxGraph {
  readonly inputs: OnnxValue[] = [];
  readonly outputs: OnnxValue[] = [];
  private readonly nodes: OnnxNode[] = [];
  private readonly weights = new Map<string, OnnxTensor>();

  /** Appends a node and returns the name of its result, which is `name`. */
  op(name: string, opType: string, input: readonly string[], options: NodeOptions = {}): string {
    return this.ops(name, opType, input, [name], options)[0];
  }

  /** Appends a node with several results; '' omits one. */
  ops(
    name: string,
    opType: string,
    input: readonly string[],
    output: readonly string[],
    { attributes = {}, domain = '' }: NodeOptions = {},
  ): readonly string[] {
    this.nodes.push({
      name: `node/${name}`,
      opType,
      domain,
      input: [...input],
      output: [...output],
      attribute: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
    });
    return output;
  }

  weight(name: string, type: OnnxType, dims: readonly number[], values: ArrayBufferView): string {
    if (!this.weights.has(name)) {
      const rawData = littleEndianBytes(values);
      this.weights.set(name, { name, dims: [...dims], dataType: onnxType[type], rawData });
    }
    return name;
  }

  floats(name: string, dims: readonly number[], values: Float32Array): string {
    return this.weight(name, 'float32', dims, values);
  }

  /** One-dimensional constant, or a scalar if `scalar` is true. */
  integers(values: readonly number[], scalar = false): string {
    const name = `constant.int64.${scalar ? 'scalar' : 'list'}.${values.join('_')}`;
    return this.weight(name, 'int64', scalar ? [] : [values.length], BigInt64Array.from(values, BigInt));
  }

  float(value: number): string {
    return this.floats(`constant.float.${value}`, [], Float32Array.of(value));
  }

  files(
    name: string,
    opsets: { [domain: string]: number },
    metadata: { [key: string]: string },
    external: boolean,
  ): OnnxFiles {
    const data: Uint8Array[] = [];
    const initializer = external ? this.externalWeights(data) : [...this.weights.values()];
    const model = encodeOnnx({
      irVersion: 8,
      producerName: 'tabgym',
      producerVersion: '1',
      opsetImport: Object.entries(opsets).map(([domain, version]) => ({ domain, version })),
      metadataProps: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      graph: { name, node: this.nodes, initializer, input: this.inputs, output: this.outputs },
    });
    return { model, data };
  }

  /** Moves the bytes of large weights to `data`. Small constants stay inside the model. */
  private externalWeights(data: Uint8Array[]): OnnxTensor[] {
    let at = 0;
    return [...this.weights.values()].map((tensor) => {
      const { rawData, ...rest } = tensor;
      if (!rawData || rawData.length < 1024) return tensor;
      const padding = (alignment - (at % alignment)) % alignment;
      if (padding) data.push(new Uint8Array(padding));
      const entries = { location: externalFile, offset: String(at + padding), length: String(rawData.length) };
      data.push(rawData);
      at += padding + rawData.length;
      return {
        ...rest,
        dataLocation: 1,
        externalData: Object.entries(entries).map(([key, value]) => ({ key, value })),
      };
    });
  }
}
