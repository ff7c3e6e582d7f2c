import CEaselAVIFBaseline
import EaselAVIF
import EaselBenchmarkHarness
import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// Whole pictures through the public API, one after another, compared with libavif called directly; both use the same
/// decoder, encoder and number of threads.
func avifCases() -> [BenchmarkCase] {
  [
    decodeCase("a photo of 2 MP", BenchmarkPicture(.photo, .png, 1600, 1250)),
    decodeCase("a photo of 12 MP", BenchmarkPicture(.photo, .png, 4000, 3000)),
    thumbnailCase(BenchmarkPicture(.photo, .png, 4000, 3000)), encodeCase(BenchmarkPicture(.photo, .png, 1600, 1250)),
    playCase(),
  ]
    + avifRivalCases()
}

private func decodeCase(_ name: String, _ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("decode \(name)", group: "AVIF", against: "libavif", atMost: 1.05) {
    let file = try avifFile(Image(picture.bitmap()))
    let bytes = ImageBytes(file)
    let target = room(for: picture.size)
    return BenchmarkPair(
      subject: .call { blackHole(try AVIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())) },
      baseline: .call { decodeWithLibavif(file, target) })
  }
}

/// libavif cannot make a picture smaller; the cheapest way that uses every sample is the mean of those of each plane.
private func thumbnailCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("a photo of 12 MP to 320 pixels", group: "AVIF", against: "libavif and means of planes", atMost: 1.05) {
    let file = try avifFile(Image(picture.bitmap()))
    let bytes = ImageBytes(file)
    let size = picture.size.thumbnail(in: PixelSize(width: 320, height: 320))
    let target = room(for: size)
    return BenchmarkPair(
      subject: .call { blackHole(try AVIFCoder().decode(bytes, options: thumbnailOptions, work: WorkContext())) },
      baseline: .call {
        let isDecoded = file.withUnsafeBytes {
          easel_baseline_shrink_avif(
            $0.baseAddress, $0.count, target.baseAddress, Int32(size.width), Int32(size.height),
            Int32(CPUBudget.processors))
        }
        precondition(isDecoded, "libavif refuses the picture.")
      })
  }
}

private var thumbnailOptions: DecodeOptions {
  var options = DecodeOptions()
  options.thumbnailSize = PixelSize(width: 320, height: 320)
  return options
}

private func encodeCase(_ picture: BenchmarkPicture) -> BenchmarkCase {
  BenchmarkCase("encode a photo of 2 MP", group: "AVIF", against: "libavif", atMost: 1.05) {
    let bitmap = try picture.bitmap()
    let options = EncodeOptions.library(quality: 0.63)
    let own = { try AVIFCoder().encode(Image(bitmap), as: .avif, options: options, work: WorkContext()).count }
    let other = {
      var file: UnsafeMutablePointer<UInt8>?
      var count = 0
      defer { free(file) }
      let isWritten = bitmap.withUnsafeBytes {
        easel_baseline_encode_avif(
          $0.baseAddress, Int32(bitmap.width), Int32(bitmap.height), 23, 8, Int32(CPUBudget.processors), &file, &count)
      }
      precondition(isWritten, "libavif does not write the picture.")
      return count
    }
    let counts = (try own(), other())
    precondition(counts.0 <= counts.1 * 101 / 100, "Easel's file has \(counts.0) bytes, that of libavif \(counts.1).")
    return BenchmarkPair(subject: .call { blackHole(try own()) }, baseline: .call { blackHole(other()) })
  }
}

/// Sixty frames in order, from the file to the last pixel.
private func playCase() -> BenchmarkCase {
  BenchmarkCase("60 frames of 480x270", group: "AVIF", against: "libavif", atMost: 1.05) {
    let frames = try MovingFrames()
    let file = try avifFile(Image(try frames.frame(at: 0), frames: frames))
    let bytes = ImageBytes(file)
    let target = room(for: frames.canvasSize)
    return BenchmarkPair(
      subject: .call {
        let image = try AVIFCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
        for index in 0..<image.frames!.count { blackHole(try image.frames!.frame(at: index)) }
      },
      baseline: .call {
        let isPlayed = file.withUnsafeBytes {
          easel_baseline_play_avif($0.baseAddress, $0.count, target.baseAddress, Int32(CPUBudget.processors))
        }
        precondition(isPlayed, "libavif refuses the sequence.")
      })
  }
}

private func room(for size: PixelSize) -> UnsafeMutableRawBufferPointer {
  .allocate(byteCount: size.area * 4, alignment: 64)
}

private func decodeWithLibavif(_ file: Data, _ target: UnsafeMutableRawBufferPointer) {
  let isDecoded = file.withUnsafeBytes {
    easel_baseline_decode_avif($0.baseAddress, $0.count, target.baseAddress, Int32(CPUBudget.processors))
  }
  precondition(isDecoded, "libavif refuses the picture.")
}

func avifFile(_ image: Image) throws -> Data {
  var options = EncodeOptions.library(quality: 0.63)
  options.settings[.avifSpeed] = 10
  return try AVIFCoder().encode(image, as: .avif, options: options, work: WorkContext()).data()
}
