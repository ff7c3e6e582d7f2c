import Easel
import EaselListener
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// A server of a few lines knows a format of its own, as one in a package that depends on Easel does.
@Suite(.tags(.alone))
struct ServerWithACoderTests {
  @Test func aFormatOfItsOwnIsServed() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Array("FLAG".utf8) + [30, 20, 200, 10, 90]).write(to: folder.appendingPathComponent("red.flag"))
    // The main of a test cannot be the worker of a sandbox.
    var manager = ImageManager.Configuration.server(cacheDirectory: nil, sandbox: nil)
    manager.coder = manager.coder.adding(FlagCoder())
    var service = ImageService.Configuration(manager, signer: nil)
    service.folder = try FolderLoader(folder: folder.path)
    service.sources = try SourceRules(allowing: [], folder: true)

    let listener = try Listener(on: [.tcp(host: "127.0.0.1", port: 0)], handler: ImageService(service))
    guard case .tcp(_, let port) = listener.addresses[0] else {
      Issue.record("The listener has the address \(listener.addresses[0]).")
      return
    }
    let path = "/unsafe/rs:fit:15:10/plain/local:///red.flag@png"
    let answer = try await RawClient.get(path, from: port)
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/png", "\(answer.text.prefix(300))")
    let image = try CoderRegistry.standard.decode(
      ImageBytes(answer.body), options: DecodeOptions(), work: WorkContext())
    #expect(image.size == PixelSize(width: 15, height: 10))
    #expect(image.bitmap.withUnsafeBytes { Array($0.prefix(3)) } == [200, 10, 90])
    await listener.drain(within: .seconds(10))
    await listener.waitForEnd()
  }
}
