import Easel
import EaselTestSupport
import ExampleSupport
import FoundationEssentials

/// Shows everything at once: pictures of every format are served, loaded, decrypted, transformed, cached and put on a
/// contact sheet.
///
/// usage: Demo FOLDER
@main
struct Demo {
  static func main() async throws {
    let folder = CommandLine.arguments.dropFirst().first ?? "."
    let decryptor = DemoDecryptor()
    let exhibits = try Exhibit.all(sealedWith: decryptor)
    let server = try serve(exhibits)
    let manager = try makeManager(cacheDirectory: folder + "/cache")
    print("\(exhibits.count) pictures on \(server.origin), each behind a token\n")

    var table = Table("picture", "bytes", "size", "first", "after a restart of memory", "again")
    var pictures: [Bitmap] = []
    for exhibit in exhibits {
      let url = server.url("/" + exhibit.name)
      let first = try await Visit(exhibit, at: url, by: manager, decryptor: decryptor)
      try await manager.clearCache(.memory)
      let second = try await Visit(exhibit, at: url, by: manager, decryptor: decryptor)
      let third = try await Visit(exhibit, at: url, by: manager, decryptor: decryptor)
      table.add(
        exhibit.name, "\(exhibit.bytes.count)", "\(first.image.size)", first.summary, second.summary, third.summary)
      pictures.append(first.image.bitmap)
    }
    for line in table.lines { print(line) }

    let sheet = folder + "/contact-sheet.png"
    let bytes = try await manager.encode(Image(try ContactSheet.bitmap(of: pictures)), as: .png).data()
    try bytes.write(to: URL(fileURLWithPath: sheet))
    print("\n\(server.requests.count) requests for \(exhibits.count * 3) loads; the contact sheet is \(sheet)")
    #if DEBUG
      print("(built without optimisation: a release build transforms several times as fast)")
    #endif
    await manager.close()
  }

  private static func makeManager(cacheDirectory: String) throws -> ImageManager {
    var configuration = ImageManager.Configuration.standard(cacheDirectory: cacheDirectory)
    configuration.coder = configuration.coder.adding(DemoCoder())
    configuration.requestModifier = .headers(["X-Demo-Token": "open sesame"])
    return ImageManager(configuration)
  }

  /// A server that refuses requests without the token.
  private static func serve(_ exhibits: [Exhibit]) throws -> ScriptableServer {
    let server = try ScriptableServer()
    for exhibit in exhibits {
      let file = ServerFile(Array(exhibit.bytes), contentType: exhibit.mimeType)
      server.setRoute(
        "/" + exhibit.name,
        ServerRoute { $0.headers["X-Demo-Token"] == "open sesame" ? file.answer(to: $0) : .reply(403) })
    }
    return server
  }
}
