import Easel
import EaselTestSupport
import ExampleSupport
import FoundationEssentials
import Testing

@testable import Demo
@testable import EncryptedPictures
@testable import ServerWithACoder
@testable import SignedRequests

struct ExamplePluginTests {
  private let picture = Array("not a picture, but as long as many a small one would be".utf8)

  @Test func theSignerKeepsItsContract() async throws {
    let signer = HMACSigner(key: "secret", lifetime: 60) { 1_000_000 }
    let violations = await RequestModifierContract(signer).check()
    #expect(violations == [])
    let request = LoadRequest(url: URL(string: "http://host/a.png?size=1")!)
    let url = try #require(signer.modify(request)?.url)
    #expect(url.absoluteString.hasPrefix("http://host/a.png?size=1&expires=1000060&signature="))
    #expect(signer.accepts(path: url.path, query: try #require(url.query)))
  }

  @Test func theKeeperOfTokensKeepsItsContract() async {
    let violations = await RequestModifierContract(TokenKeeper(user: "ada", usesPerToken: 3)).check()
    #expect(violations == [])
  }

  @Test func theDecryptorsKeepTheirContract() async {
    let decryptor = AESGCMDecryptor(key: Array(repeating: 7, count: 32), keyName: "ada")
    let sealed = decryptor.seal(Data(picture), nonce: Array(0..<12))
    let contract = DecryptorContract(
      decryptor, samples: [(encrypted: Array(sealed), plain: picture)], noticesDamage: true)
    let violations = await contract.check()
    #expect(violations == [])
    let demo = DemoDecryptor()
    let demoContract = DecryptorContract(
      demo, samples: [(encrypted: Array(demo.seal(Data(picture))), plain: picture)], noticesDamage: true)
    let demoViolations = await demoContract.check()
    #expect(demoViolations == [])
  }

  @Test func theCoderOfTheDemoKeepsItsContract() async throws {
    let coder = DemoCoder()
    let samples = try [(40, 30), (16, 8), (5, 3)].map { width, height in
      var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
      bitmap.withUnsafeMutableBytes { bytes in
        for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: place) }
      }
      let file = try coder.encode(Image(bitmap), as: DemoCoder.format, options: EncodeOptions(), work: WorkContext())
      return ImageSample("\(width)x\(height)", bytes: Array(try file.data()), signature: [0..<6])
    }
    let violations = await ImageCoderContract(coder, samples: samples).check()
    #expect(violations == [])
  }

  @Test func theCoderOfTheServerKeepsItsContract() async {
    let sample = ImageSample(
      "a red flag", bytes: Array("FLAG".utf8) + [30, 20, 200, 10, 90], signature: [0..<4])
    #expect(await ImageCoderContract(FlagCoder(), samples: [sample]).check() == [])
  }

  @Test func theObserverOfTheDemoKeepsItsContract() async {
    let violations = await ImageObserverContract(StageTimes()).check()
    #expect(violations == [])
  }

  @Test func theFramesOfTheDemoKeepTheirContract() async throws {
    let frames = try (0..<3).map { try Bitmap.landscape($0, width: 40, height: 30) }
    let violations = await FrameSourceContract(Slides(frames: frames)).check()
    #expect(violations == [])
  }
}
