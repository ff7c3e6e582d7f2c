import EaselCore
import EaselPNG

/// Uses one coder and nothing else: no loader, no cache, no other library.
@main
struct LeanProgram {
  static func main() throws {
    let dot = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba8)
    let bytes = try PNGCoder().encode(Image(dot), as: .png, options: EncodeOptions(), work: WorkContext())
    let header = try PNGCoder().probe(bytes, work: WorkContext())
    print("a PNG of \(header.storedSize)")
  }
}
