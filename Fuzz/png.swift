import EaselFuzzing

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
  FuzzedCoder.png.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
