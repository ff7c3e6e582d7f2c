import EaselTransformers
import Testing

@testable import EaselCore
@testable import EaselService

/// Addresses that others have changed, encrypted sources, and chains of pipelines.
struct ImgproxyAddressTests {
  private func order(_ path: String, _ rules: URLRules = URLRules(), key: [UInt8]? = nil) throws -> ImageOrder {
    let reader = OrderReaders.reader(
      .imgproxy, rules: rules, signer: nil, formats: NamedFormats.names, sourceKey: key)
    return try reader.order(at: "/unsafe\(path)", now: 0)
  }

  private func key(_ options: String, _ rules: URLRules = URLRules()) throws -> String {
    try order("/\(options)/plain/https://host/a", rules).pipeline { _ throws(ServiceError) in .identity }.cacheKey
  }

  // MARK: Changed on the way

  @Test(arguments: [
    ("/w:100/plain/http://host/a", "/w%3A100/plain/http:/host/a"),
    ("/w:100/plain/http://host/a", "/w%3a100/plain/http://host/a"),
    ("/plain/local:///a", "/plain/local:/a"), ("/w:5/plain/https://host/a@png", "/w:5/plain/https:/host/a@png"),
    ("/w:1:2/aHR0cHM6Ly9ob3N0L2EuanBn", "/w%3A1%3A2/aHR0cHM6Ly9ob3N0L2EuanBn"),
    ("/w:100/plain/http:/host/a", "/w:100/plain/http:/host/a"),
    ("/w%3A100/plain/http://host/a", "/w%3A100/plain/http://host/a"),
  ])
  func aSignatureIsRightForThePathBeforeAProxyChangedIt(_ signed: String, _ sent: String) throws {
    let signer = URLSigner([URLSigner.Key(key: [1], salt: [2])])
    let reader = ImgproxyReader(rules: URLRules(), signer: signer, formats: NamedFormats.names)
    let signature = signer.signed(signed).dropFirst().prefix { $0 != "/" }
    // The options are right or wrong as always, but the signature is accepted.
    do throws(ServiceError) {
      _ = try reader.order(at: "/\(signature)\(sent)", now: 0)
    } catch {
      #expect(error.status == 400)
    }
    for other in ["\(sent)x", "/w:7\(sent)", sent.replacing("host", with: "other")] where other != sent {
      let error = #expect(throws: ServiceError.self) { try reader.order(at: "/\(signature)\(other)", now: 0) }
      #expect(error?.status == 403)
    }
  }

  // MARK: Encrypted sources

  private static let key: [UInt8] = Array(0..<32)
  /// The bytes 16 to 31, and then `https://host/secret.jpg` encrypted with them as the start value.
  private static let secret = "EBESExQVFhcYGRobHB0eH9mX3gEYJ_bM29Wd_3o1b1UKoRJzIcniceJE0_HzejQB"

  @Test func anEncryptedSourceIsRead() throws {
    for path in ["/enc/\(Self.secret)", "/w:5/enc/\(Self.secret.prefix(9))/\(Self.secret.dropFirst(9)).png"] {
      let order = try order(path, key: Self.key)
      #expect(order.source == "https://host/secret.jpg")
      #expect(order.format == (path.hasSuffix("png") ? .png : nil))
    }
  }

  @Test(arguments: [
    "", "AAAA", "***", "EBESExQVFhcYGRobHB0eHw", "EBESExQVFhcYGRobHB0eHwC8ugfrUyVcvWbKfBhkqvk", "a.b.c",
  ])
  func aDamagedSourceIsRefusedInOneWay(_ text: String) {
    let error = #expect(throws: ServiceError.self) { try order("/enc/\(text)", key: Self.key) }
    #expect(error == ServiceError(400, "The encrypted source cannot be read."))
    let other = #expect(throws: ServiceError.self) { try order("/enc/\(Self.secret)", key: Array(1..<33)) }
    #expect(other == error)
  }

  @Test func withoutAKeyNothingIsDecrypted() {
    let error = #expect(throws: ServiceError.self) { try order("/enc/\(Self.secret)") }
    #expect(error?.status == 400 && error?.message.contains("source-key") == true)
  }

  // MARK: Chains

  @Test func aPipelineWorksOnTheResultOfTheOneBefore() throws {
    #expect(try key("w:50/-/t:10") == "Resize({50,0},4,4,1)-Trim(10,-,0,0)")
    #expect(try key("bl:2/w:50/-/bl:3/-/fl:1") == "Resize({50,0},4,4,1)-Blur(2)-Blur(3)-Flip(1,0)")
    #expect(try key("-/-/w:50") == key("w:50"))
    // Options of the file belong to no pipeline.
    #expect(try order("/q:50/-/q:60/-/f:png/plain/https://host/a").quality == 0.6)
  }

  @Test func eachPipelineHasItsWatermark() throws {
    let order = try order("/wm:1:nowe/wmu:aHR0cHM6Ly9o/-/wm:0.5:soea/-/w:5/plain/https://host/a")
    #expect(order.watermarkPictures(own: "https://own").map(\.source) == ["https://h", "https://own"])
  }

  @Test func pipelinesOfPresetsFollowTheOneInWhichTheyStand() throws {
    let rules = try URLRules(presets: ["test=w:300/h:300/-/w:200/h:200/-/w:100/h:200"])
    #expect(
      try key("w:400/-/pr:test/w:500/-/w:600", rules)
        == key("w:400/-/w:500/h:300/-/w:600/h:200/-/w:100/h:200"))
    #expect(try key("pr:test", rules) == key("w:300/h:300/-/w:200/h:200/-/w:100/h:200"))
  }

  @Test func aChainHasAnEnd() throws {
    func chain(_ count: Int) -> String { (0..<count).map { "w:\($0 + 1)" }.joined(separator: "/-/") }
    #expect(try key(chain(16)).contains("{16,0}"))
    let error = #expect(throws: ServiceError.self) { try key(chain(17)) }
    #expect(error?.message == "The address has more than 16 pipelines.")
    let rules = try URLRules(presets: ["small=w:5"], onlyPresets: true)
    #expect(throws: ServiceError.self) { try key("small/-/small", rules) }
  }

  @Test func hintsOfBrowsersBelongToTheFirstPipeline() throws {
    let order = try order("/bl:2/-/fl:1/plain/https://host/a").applying(width: 64, pixelRatio: 2)
    let key = try order.pipeline { _ throws(ServiceError) in .identity }.cacheKey
    #expect(key == "Resize({128,0},4,4,1)-Blur(2)-Flip(1,0)")
  }
}
