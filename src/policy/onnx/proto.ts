/**
 * Messages of the ONNX format (onnx.proto3, IR version 8) used by an exported model, encoded with protobufjs. Contains
 * field names and numbers only.
 */
import protobuf from 'protobufjs/light.js';

/** TensorProto.DataType. */
export const onnxType = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 } as const;
export type OnnxType = keyof typeof onnxType;

/** AttributeProto.AttributeType. */
export const attributeType = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7 } as const;

export interface OnnxAttribute {
  name: string;
  type: number;
  f?: number;
  i?: number;
  s?: Uint8Array;
  floats?: number[];
  ints?: number[];
}

export interface OnnxTensor {
  name: string;
  dims: number[];
  dataType: number;
  rawData?: Uint8Array;
  /** Place of the bytes in a file beside the model. */
  externalData?: { key: string; value: string }[];
  /** 1: external data. */
  dataLocation?: number;
}

export interface OnnxNode {
  name: string;
  opType: string;
  domain: string;
  input: string[];
  output: string[];
  attribute: OnnxAttribute[];
}

/** Tensor of the graph's signature. A dimension given by name has a free size. */
export interface OnnxValue {
  name: string;
  type: { tensorType: { elemType: number; shape: { dim: { dimValue?: number; dimParam?: string }[] } } };
}

export interface OnnxModel {
  irVersion: number;
  producerName: string;
  producerVersion: string;
  opsetImport: { domain: string; version: number }[];
  metadataProps: { key: string; value: string }[];
  graph: {
    name: string;
    node: OnnxNode[];
    initializer: OnnxTensor[];
    input: OnnxValue[];
    output: OnnxValue[];
  };
}

type Field = { type: string; id: number; rule?: 'repeated' };
const one = (type: string, id: number): Field => ({ type, id });
const many = (type: string, id: number): Field => ({ type, id, rule: 'repeated' });

/** Field numbers of onnx/onnx.proto3. */
const messages: { [message: string]: { [field: string]: Field } } = {
  ModelProto: {
    irVersion: one('int64', 1),
    producerName: one('string', 2),
    producerVersion: one('string', 3),
    graph: one('GraphProto', 7),
    opsetImport: many('OperatorSetIdProto', 8),
    metadataProps: many('StringStringEntryProto', 14),
  },
  OperatorSetIdProto: { domain: one('string', 1), version: one('int64', 2) },
  StringStringEntryProto: { key: one('string', 1), value: one('string', 2) },
  GraphProto: {
    node: many('NodeProto', 1),
    name: one('string', 2),
    initializer: many('TensorProto', 5),
    input: many('ValueInfoProto', 11),
    output: many('ValueInfoProto', 12),
  },
  NodeProto: {
    input: many('string', 1),
    output: many('string', 2),
    name: one('string', 3),
    opType: one('string', 4),
    attribute: many('AttributeProto', 5),
    domain: one('string', 7),
  },
  AttributeProto: {
    name: one('string', 1),
    f: one('float', 2),
    i: one('int64', 3),
    s: one('bytes', 4),
    floats: many('float', 7),
    ints: many('int64', 8),
    type: one('int32', 20),
  },
  TensorProto: {
    dims: many('int64', 1),
    dataType: one('int32', 2),
    name: one('string', 8),
    rawData: one('bytes', 9),
    externalData: many('StringStringEntryProto', 13),
    dataLocation: one('int32', 14),
  },
  ValueInfoProto: { name: one('string', 1), type: one('TypeProto', 2) },
  TypeProto: { tensorType: one('TypeTensorProto', 1) },
  TypeTensorProto: { elemType: one('int32', 1), shape: one('TensorShapeProto', 2) },
  TensorShapeProto: { dim: many('DimensionProto', 1) },
  DimensionProto: { dimValue: one('int64', 1), dimParam: one('string', 2) },
};

const nested = Object.fromEntries(Object.entries(messages).map(([name, fields]) => [name, { fields }]));
const modelProto = protobuf.Root.fromJSON({ nested }).lookupType('ModelProto');

export function encodeOnnx(model: OnnxModel): Uint8Array {
  return modelProto.encode(modelProto.fromObject(model)).finish();
}

/** Decodes the fields listed in `messages`; other fields of the file are ignored. */
export function decodeOnnx(bytes: Uint8Array): OnnxModel {
  return modelProto.toObject(modelProto.decode(bytes), { longs: Number, arrays: true, defaults: true }) as OnnxModel;
}
