import EaselCore
import EaselCurl
import EaselTestSupport
import FoundationEssentials

/// The life of a loader, with one load for each kind of ending.
struct Round {
  let server: ScriptableServer

  static func makeServer() throws -> ScriptableServer {
    try ScriptableServer(routes: [
      "/good": .file(ServerFile(ServerBody.bytes(100_000))), "/cut": .always(.resetting(after: 50_000, of: 100_000)),
      "/moved": .always(.redirect(to: "/good")), "/bomb": .always(.gzipBomb(unpackedBytes: 10 << 20)),
      "/stall": .always(.stalling(after: 10, of: 100)),
    ])
  }

  /// Returns the names of the errors of the loads, in order.
  func run() async -> String {
    var configuration = CurlLoader.Configuration()
    configuration.idleTimeout = .seconds(300)
    configuration.connectTimeout = .seconds(300)
    configuration.proxy = .direct
    let loader = CurlLoader(configuration)
    let ends = await withTaskGroup(of: (Int, String).self) { group in
      for (number, path) in ["/good", "/cut", "/moved", "/bomb", "/missing"].enumerated() {
        group.addTask { (number, await end(of: path, in: RecordingSink(takesHeadAtOnce: true), by: loader)) }
      }
      let sink = RecordingSink(takesHeadAtOnce: true)
      let stalled = Task { await end(of: "/stall", in: sink, by: loader) }
      await sink.wait { if case .bytes = $0 { true } else { false } }
      stalled.cancel()
      var ends = await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
      ends[ends.count] = await stalled.value
      return ends.sorted { $0.key < $1.key }.map(\.value).joined(separator: ",")
    }
    loader.close()
    await loader.waitForEnd()
    await server.waitUntilAllHaveLeft()
    return ends
  }

  private func end(of path: String, in sink: RecordingSink, by loader: CurlLoader) async -> String {
    do {
      _ = try await loader.load(LoadRequest(url: server.url(path), byteLimit: 1 << 20), into: sink)
      return "done"
    } catch let error as ImageError {
      return "\(error.code)"
    } catch {
      return "\(type(of: error))"
    }
  }
}
