import EaselAVIF
import EaselBasic
import EaselCore
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselPNG
import EaselTIFF
import EaselWebP
import Glibc

/// Makes thumbnails as a small program would that uses only the coders of Easel.
///
/// usage: EaselLeanThumbnails FILE. It makes one thumbnail and writes `ready`. Then each line that it reads is a number
/// of thumbnails to make, and it writes the seconds that took. Python processes with other libraries do the same.
@main
struct LeanThumbnails {
  static let coders = CoderRegistry([
    TIFFCoder(), AVIFCoder(), HEIFCoder(), JXLCoder(), JPEGCoder(), PNGCoder(), WebPCoder(),
    BMPCoder(), QOICoder(), PNMCoder(),
  ])

  static func main() throws {
    guard CommandLine.arguments.count == 2 else { exit(2) }
    let path = CommandLine.arguments[1]
    var made = try thumbnail(ofFile: path)
    print("ready")
    fflush(nil)
    while let line = readLine(), let repetitions = Int(line) {
      let start = ContinuousClock.now
      for _ in 0..<repetitions { made = try thumbnail(ofFile: path) }
      print(start.duration(to: .now) / .seconds(1))
      fflush(nil)
    }
    guard !made.isEmpty else { exit(1) }
  }

  private static func thumbnail(ofFile path: String) throws -> ImageBytes {
    let work = WorkContext()
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 320, height: 320)
    let image = try coders.decode(ImageBytes(contentsOfFile: path), options: options, work: work)
    var encoding = EncodeOptions()
    encoding.quality = 0.8
    return try coders.encode(image, as: .jpeg, options: encoding, work: work)
  }
}
