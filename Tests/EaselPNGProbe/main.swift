import CEaselPNG
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

/// Writes incompressible noise, row by row.
func make(_ path: String, _ width: Int, _ height: Int) throws {
  var layout = easel_png_layout()
  (layout.width, layout.height, layout.bit_depth, layout.color_type) = (UInt32(width), UInt32(height), 8, 2)
  var made: OpaquePointer?
  guard easel_png_writer_create(&layout, 1, false, &made) == EASEL_PNG_OK, let writer = made else { fail("no writer") }
  defer { easel_png_writer_destroy(writer) }
  var state: UInt64 = 1
  var row = [UInt8](repeating: 255, count: width * 4)
  for _ in 0..<height {
    row.withUnsafeMutableBytes { bytes in
      for place in stride(from: 0, to: bytes.count - 7, by: 8) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.storeBytes(of: state >> 8 & 0x3F3F_3F3F_3F3F_3F3F, toByteOffset: place, as: UInt64.self)
      }
    }
    guard easel_png_writer_add_rows(writer, row, 0, 1) == EASEL_PNG_OK else { fail("no row") }
  }
  var bytes: UnsafePointer<UInt8>?
  var count = 0
  guard easel_png_writer_finish(writer, &bytes, &count) == EASEL_PNG_OK, let bytes else { fail("no end") }
  try Data(bytes: bytes, count: count).write(to: URL(fileURLWithPath: path))
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
