import EaselManager
import EaselPNG
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Bodies that clients send, and bytes that go out.
struct UploadTests {
  private func body(_ bytes: [UInt8]) -> AsyncStream<ArraySlice<UInt8>> {
    AsyncStream { input in
      for start in stride(from: 0, to: bytes.count, by: 64) {
        input.yield(bytes[start..<min(bytes.count, start + 64)])
      }
      input.finish()
    }
  }

  private func png(width: Int = 40, height: Int = 20) throws -> [UInt8] {
    let bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return Array(try bytes.data())
  }

  @Test func severalPicturesAreMadeOfOneBody() async throws {
    let studio = ServiceStudio()
    let png = try png()
    let made = try await studio.service.variants(
      of: body(png), length: png.count,
      as: [10, 20].map { ImageVariant(.resize(width: $0), as: EncodeRecipe(.png)) })
    #expect(made.map(\.size) == [PixelSize(width: 10, height: 5), PixelSize(width: 20, height: 10)])
    let answer = ServiceResponse(made[0], status: 201)
    #expect(answer.status == 201 && answer.headers["Content-Type"] == "image/png")
    #expect(answer.headers["Content-Length"] == "\(made[0].bytes.count)" && answer.headers["ETag"] == made[0].entityTag)
  }

  @Test func anUploadWaitsInTheQueueOfAllRequests() async throws {
    let studio = ServiceStudio {
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
      $0.admission.queueLength = 0
    }
    let pass = try await studio.service.admission.enter(WorkCost(nanoseconds: 1_000_000_000))
    let png = try png()
    let error = await #expect(throws: ImageError.self) {
      try await studio.service.variants(of: body(png), as: [ImageVariant(.resize(width: 10), as: EncodeRecipe(.png))])
    }
    let answer = ServiceResponse(try #require(error))
    #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
    pass.leave()
  }

  @Test(arguments: [
    (ImageError.Code.unsupportedFormat, 415), (.badImageData, 422), (.cancelled, 499), (.invalidRequest, 500),
  ])
  func anErrorBecomesAnAnswer(code: ImageError.Code, status: Int) throws {
    let answer = ServiceResponse(ImageError(code, "A secret of the server.", subject: "file:///etc"))
    #expect(answer.status == status && answer.headers["Cache-Control"] == "no-store")
    let text = String(decoding: try answer.body[0].data(), as: UTF8.self)
    #expect(text.hasSuffix("\n") && (status == 422 || !text.contains("secret")) && !text.contains("etc"))
    #expect(answer.headers["Content-Length"] == "\(text.utf8.count)")
  }

  @Test func aBodyGoesOutInParts() async throws {
    let file = "/tmp/easel-parts-\(UInt64.random(in: .min ... .max))"
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(bytes).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let response = ServiceResponse(
      status: 200, body: [ImageBytes([1, 2]), ImageBytes([]), try ImageBytes(contentsOfFile: file), ImageBytes([3])])
    var parts: [[UInt8]] = []
    for try await part in response.parts { parts.append(part) }
    #expect(parts.map(\.count) == [2, 131_072, 131_072, 37_856, 1])
    #expect(parts.flatMap { $0 } == [1, 2] + bytes + [3])
  }
}
