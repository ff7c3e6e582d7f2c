import EaselBasic
import EaselCore
import EaselMisbehaving
import EaselSandbox
import EaselTestPixels
import EaselTestSupport
import EaselTestTags
import Testing

/// A library that ends its process is tested in the sandbox, where it can be used.
@Suite(.tags(.alone))
struct ContractTests {
  /// A program of the package whose main begins with `Sandbox.runIfWorker(coders: [AbortingCoder(QOICoder()), ...])`.
  private let worker = SandboxTesting.worker

  /// Only the first rows are noise, which takes long to decode without optimization; each row behind has one colour.
  private func file(_ width: Int, _ height: Int) throws -> [UInt8] {
    var bitmap = try Bitmap.noise(width, height, .rgba8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in min(60, height)..<height {
        UnsafeMutableRawBufferPointer(rebasing: bytes[(y * stride)...].prefix(stride))
          .initializeMemory(as: UInt8.self, repeating: UInt8(y % 256))
      }
    }
    let image = Image(bitmap)
    let format = QOICoder().formats[0]
    return Array(try QOICoder().encode(image, as: format, options: EncodeOptions(), work: WorkContext()).data())
  }

  // Documentation: testing a coder whose library aborts.
  @Test func theCoderKeepsItsContractThoughItsLibraryAborts() async throws {
    var configuration = Sandbox.Configuration()
    configuration.program = worker
    let coder = Sandbox.Coder(AbortingCoder(QOICoder()), in: Sandbox(configuration))
    let samples = [
      ImageSample("a small picture", bytes: try file(7, 5), signature: [0..<4]),
      ImageSample("a large picture", bytes: try file(600, 520), signature: [0..<4]),
    ]
    let violations = await ImageCoderContract(coder, samples: samples).check()
    #expect(violations == [])
  }

  @Test func anAbortIsTheErrorOfOnePicture() throws {
    let coder = SandboxTesting.sandboxed(AbortingCoder(QOICoder()))
    let (whole, options) = (try file(7, 5), DecodeOptions())
    for _ in 0..<3 {
      let error = #expect(throws: ImageError.self) {
        try coder.decode(ImageBytes(Array(whole.prefix(20))), options: options, work: WorkContext())
      }
      #expect(error?.code == .decoderCrashed)
      let picture = try coder.decode(ImageBytes(whole), options: options, work: WorkContext())
      #expect(picture.size == PixelSize(width: 7, height: 5))
    }
  }

  @Test func outsideItEndsTheProcess() async {
    await #expect(processExitsWith: .signal(6)) {
      let bytes = ImageBytes(Array("qoif\0\0\0\u{7}\0\0\0\u{5}\u{3}\0".utf8))
      _ = try AbortingCoder(QOICoder()).decode(bytes, options: DecodeOptions(), work: WorkContext())
    }
  }
}
