import EaselCore
import EaselPNG
import FoundationEssentials
import Glibc

// A process that does one thing with a PNG and prints its peak memory.
//
// usage: EaselPNGProbe make FILE WIDTH HEIGHT | thumbnail FILE SIDE

func fail(_ message: String) -> Never {
  let text = Array("EaselPNGProbe: \(message)\n".utf8)
  _ = write(2, text, text.count)
  exit(2)
}

/// Writes incompressible noise.
func make(_ path: String, _ width: Int, _ height: Int) throws {
  var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .opaqueRGBA8)
  var state: UInt64 = 1
  bitmap.withUnsafeMutableBytes { bytes in
    for place in stride(from: 0, to: bytes.count - 7, by: 8) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let grain = state >> 8 & 0x3F3F_3F3F_3F3F_3F3F | 0xFF00_0000_FF00_0000
      bytes.storeBytes(of: grain, toByteOffset: place, as: UInt64.self)
    }
  }
  let options = EncodeOptions(compressionLevel: 1)
  let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: options, work: WorkContext())
  try bytes.data().write(to: URL(fileURLWithPath: path))
}

func thumbnail(_ path: String, _ side: Int) throws {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: side, height: side)
  let bytes = try ImageBytes(contentsOfFile: path)
  let image = try PNGCoder().decode(bytes, options: options, work: WorkContext())
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  print("\(image.size) \(line.filter(\.isNumber))")
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("make", 5): try make(arguments[2], Int(arguments[3]) ?? 1, Int(arguments[4]) ?? 1)
case ("thumbnail", 4): try thumbnail(arguments[2], Int(arguments[3]) ?? 1)
default: fail("make FILE WIDTH HEIGHT, or thumbnail FILE SIDE")
}
