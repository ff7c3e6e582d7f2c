import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselJPEG

struct ContractTests {
  private func samples() throws -> [ImageSample] {
    let picture = try Image(Pictures.corners(37, 21))
    let gray = try Image(Bitmap(20, 30, .gray8) { x, y in [x * 5 + y * 4] })
    var turned = picture
    turned.metadata.orientation = .right
    return [
      ImageSample("baseline", bytes: try Pictures.array(Pictures.file(picture))),
      ImageSample("progressive", bytes: try Pictures.array(Pictures.file(picture) { $0.progressive = true })),
      ImageSample("grey", bytes: try Pictures.array(Pictures.file(gray))),
      ImageSample(
        "turned", bytes: try Pictures.array(Pictures.file(turned) { $0.chromaSubsampling = .full })),
    ]
  }

  @Test func theCoderKeepsItsContract() async throws {
    #expect(await ImageCoderContract(JPEGCoder(), samples: try samples()).check() == [])
  }

  @Test func theProgressiveCoderKeepsItsContract() async throws {
    #expect(await ProgressiveCoderContract(JPEGCoder(), samples: try samples()).check() == [])
  }
}
