import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager

struct EncodingTests {
  let studio = Studio()

  @Test func aPictureIsWrittenByTheCoderOfItsFormat() async throws {
    let image = try await studio.manager.image(for: studio.place(.small))
    let bytes = try await studio.manager.encode(image, as: ToyImage.format)
    let again = try await studio.manager.result(from: bytes)
    #expect(again.image.bitmap == image.bitmap)
    #expect(studio.coder.counts.encodes == 1)
  }

  @Test func aFormatThatNobodyWritesIsAnError() async throws {
    let image = try await studio.manager.image(for: studio.place(.small))
    let error = await #expect(throws: ImageError.self) {
      try await studio.manager.encode(image, as: ImageFormat(mimeType: "image/x-unknown"))
    }
    #expect(error?.code == .encodeFailed)
  }

  @Test func aQualityThatIsNoNumberDoesNotComeToTheCoder() async throws {
    let image = try await studio.manager.image(for: studio.place(.small))
    let error = await #expect(throws: ImageError.self) {
      try await studio.manager.encode(image, as: ToyImage.format, options: EncodeOptions(quality: .nan))
    }
    #expect(error?.code == .encodeFailed && studio.coder.counts.encodes == 0)
  }

  @Test func whoGivesUpIsAnsweredAtOnce() async throws {
    let studio = studio
    let image = try await studio.manager.image(for: studio.place(.small))
    studio.coder.encodeGate.close()
    let task = Task { try await studio.manager.encode(image, as: ToyImage.format) }
    await studio.coder.encodeGate.waitForWaiters()
    task.cancel()
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }
}
