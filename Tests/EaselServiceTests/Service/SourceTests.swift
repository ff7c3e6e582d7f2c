import EaselTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCore
@testable import EaselService

/// The sources that are allowed, and the folder of local pictures.
struct SourceTests {
  private func allows(_ pattern: String, _ source: String) throws -> Bool {
    let rules = try SourceRules(allowing: [pattern])
    do throws(ServiceError) {
      _ = try rules.url(of: source)
      return true
    } catch {
      #expect(error.status == 403 || error.status == 400)
      return false
    }
  }

  @Test(arguments: [
    ("https://host", "https://host/a", true), ("https://host", "http://host/a", false),
    ("https://host", "https://host:443/a", true), ("https://host", "https://host:8443/a", false),
    ("https://host:8443", "https://host:8443/a", true), ("https://HOST", "https://hOst/a", true),
    ("https://host", "https://host./a", true), ("https://host", "https://host.evil/a", false),
    ("https://host", "https://evil/https://host/", false), ("https://host", "https://host@evil/a", false),
    ("https://*.host", "https://a.host/x", true), ("https://*.host", "https://a.b.host/x", true),
    ("https://*.host", "https://host/x", false), ("https://*.host", "https://evilhost/x", false),
    ("https://*", "https://anything/x", true), ("https://*", "http://anything/x", false),
    ("https://host/pub", "https://host/pub/a", true), ("https://host/pub/", "https://host/pub", true),
    ("https://host/pub/*", "https://host/pub/a/b", true), ("https://host/pub", "https://host/public/a", false),
    ("https://host/pub", "https://host/pub/../secret", false), ("https://host/pub", "https://host/pub/%2e%2e/x", false),
    ("https://host/pub", "https://host/pub/%2E./x", false), ("https://host/pub", "https://host/%70ub/x", true),
    ("https://host/pub", "https://host//pub/x", false), ("https://host/pub", "https://host/secret?/pub/", false),
    ("http://[::1]:80", "http://[::1]/a", true), ("http://[::1]", "http://[::2]/a", false),
  ])
  func aPatternMeansWhatItSays(_ pattern: String, _ source: String, _ isAllowed: Bool) throws {
    #expect(try allows(pattern, source) == isAllowed)
  }

  @Test(arguments: [
    "", "host", "https://", "ftp://host", "https://a*b", "https://*x", "https://host:0", "https://host:x",
    "https://host:99999", "https://user@host", "https://host/../x", "https://host/a?b", "https://host/*/x",
    "https:///x",
  ])
  func aPatternThatIsNoneIsRefused(_ pattern: String) {
    let error = #expect(throws: ImageError.self) { try SourceRules(allowing: [pattern]) }
    #expect(error?.message.contains("'\(ShownURL.text(pattern))'") == true)
  }

  @Test(arguments: [
    ("https://host/pub/b", true), ("https://other/pub/b", false), ("https://host/secret", false),
    ("http://host/pub/b", false), ("file:///etc/passwd", false), ("https://user@host/pub/b", false),
  ])
  func redirectsAreBoundByTheRulesToo(_ target: String, _ isAllowed: Bool) throws {
    let rules = try SourceRules(allowing: ["https://host/pub"], folder: true)
    #expect(rules.allows(try #require(URL(string: target))) == isAllowed)
  }

  // MARK: The folder

  /// A folder with a picture, a link within and links out.
  private final class Folder {
    let path: String

    init() throws {
      path = "/tmp/easel-folder-\(UInt64.random(in: .min ... .max))"
      mkdir(path, 0o755)
      mkdir(path + "/in", 0o755)
      mkdir(path + "/in/sub", 0o755)
      try write(ServiceStudio.picture(.png), to: "in/a.png")
      try write(ServiceStudio.picture(.png), to: "in/sub/ü b.png")
      try write(ServiceStudio.picture(.png), to: "secret.png")
      symlink("a.png", path + "/in/link.png")
      symlink("../secret.png", path + "/in/out.png")
      symlink(path + "/secret.png", path + "/in/absolute.png")
      symlink(path + "/in/a.png", path + "/in/inside.png")
      symlink(path + "/in/sub", path + "/in/folder")
      symlink("/", path + "/in/root")
      symlink(path + "/in/pipe", path + "/in/piped")
      symlink(path + "/in/loop", path + "/in/loop")
      for name in Self.oddNames { try write(ServiceStudio.picture(.png), to: "in/" + name) }
      symlink("..", path + "/in/up")
      mkfifo(path + "/in/pipe", 0o644)
    }

    static let oddNames = [
      "my photo.jpg", "a\\b.png", "100%.png", "%41.png", "what?.png", "a#b.png", "a\nb.png", "a@b.png",
    ]

    deinit {
      for name in Self.oddNames.map({ "in/" + $0 }) + [
        "in/inside.png", "in/folder", "in/root", "in/piped", "in/loop",
        "in/a.png", "in/sub/ü b.png", "secret.png", "in/link.png", "in/out.png", "in/absolute.png", "in/up", "in/pipe",
      ] {
        unlink(path + "/" + name)
      }
      for name in ["in/sub", "in", ""] { rmdir(path + "/" + name) }
    }

    func write(_ bytes: [UInt8], to name: String) throws {
      let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      defer { close(file) }
      #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }
  }

  private func studio(_ folder: Folder) throws -> ServiceStudio {
    let loader = try FolderLoader(folder: folder.path + "/in")
    let rules = try SourceRules(allowing: [], folder: true)
    return ServiceStudio {
      $0.folder = loader
      $0.sources = rules
    }
  }

  @Test(arguments: [
    ("local:///a.png", 200), ("local:///sub/ü b.png", 200), ("local:///link.png", 200),
    ("local:///sub/%C3%BC%20b.png", 404), ("local:///inside.png", 200), ("local:///folder/ü b.png", 200),
    ("local:///root/etc/passwd", 404), ("local:///root", 404), ("local:///piped", 404), ("local:///loop", 404),
    ("local:///folder/../a.png", 404), ("local:///folder", 404), ("local:///sub/../inside.png", 404),
    ("local:///sub/../a.png", 200), ("local:////a.png", 200),
    ("local:///out.png", 404), ("local:///absolute.png", 404), ("local:///up/secret.png", 404),
    ("local:///../secret.png", 404), ("local:///%2e%2e/secret.png", 404), ("local:///sub/../../secret.png", 404),
    ("local:///%2e%2e%2fsecret.png", 404), ("local:///a.png%00.jpg", 404), ("local:///", 404), ("local:///sub", 404),
    ("local:///pipe", 404), ("local://host/a.png", 404), ("local:///a.png?x", 200), ("local:///missing.png", 404),
    ("local:///missing.png?x", 404), ("local:///?x", 404), ("local:///a.png#x", 404), ("local:///a.png\u{0}", 404),
    ("local:///" + String(repeating: "a/", count: 2000), 404), ("LOCAL:///a.png", 200),
  ])
  func nothingLeadsOutOfTheFolder(_ source: String, _ status: Int) async throws {
    let folder = try Folder()
    let studio = try studio(folder)
    studio.order { $0.source = source }
    #expect(await studio.get().status == status, "\(source)")
  }

  /// Each name, and how a URL of imgproxy writes it: decoded once, or in base64.
  @Test(arguments: [
    ("my photo.jpg", "my%20photo.jpg"), ("a\\b.png", "a%5Cb.png"), ("a\\b.png", "a\\b.png"), ("100%.png", "100%25.png"),
    ("%41.png", "%2541.png"), ("what?.png", "what%3F.png"), ("a#b.png", "a%23b.png"), ("a\nb.png", "a%0Ab.png"),
    ("a@b.png", "a%40b.png"),
  ])
  func aFileMayHaveAnyName(_ name: String, _ written: String) async throws {
    let folder = try Folder()
    let studio = try studio(folder)
    let reader = ImgproxyReader(rules: URLRules(), signer: nil, formats: NamedFormats.names)
    for path in ["/s/plain/local:///\(written)", "/s/\(Base64URL.encoded("local:///\(name)".utf8))"] {
      studio.reader.place(try reader.order(at: path[...], now: 0), at: "/p")
      #expect(await studio.get().status == 200, "\(path)")
    }
  }

  @Test(arguments: [
    ("https://host/my photo.jpg", "https://host/my%20photo.jpg"), ("https://host/a%20b", "https://host/a%20b"),
    ("https://host/a\\b", "https://host/a%5Cb"), ("https://host/100%.jpg", "https://host/100%25.jpg"),
    ("https://host/100%zz", "https://host/100%25zz"), ("https://host/a?b=c d|e", "https://host/a?b=c%20d%7Ce"),
    ("https://host/猫?x", "https://host/%E7%8C%AB?x"), ("https://host/a#b c", "https://host/a"),
    ("https://host/a[1].jpg", "https://host/a%5B1%5D.jpg"), ("https://host?a b", "https://host?a%20b"),
    ("https://host/~a/b;c,d!$&'()*+=@:e", "https://host/~a/b;c,d!$&'()*+=@:e"),
  ])
  func anAddressOfTheWebIsEscapedWhereItMustBe(_ source: String, _ url: String) throws {
    #expect(try SourceRules().url(of: source).absoluteString == url)
  }

  @Test func anEditedFileIsAnotherPicture() async throws {
    let folder = try Folder()
    let studio = try studio(folder)
    studio.order { $0.source = "local:///a.png" }
    let first = await studio.get()
    #expect(studio.atOnce()?.headers["ETag"] == first.headers["ETag"])
    try folder.write(ServiceStudio.picture(.png, seed: 9) + [0], to: "in/a.png")
    let second = await studio.get()
    #expect(second.status == 200 && second.headers["ETag"] != first.headers["ETag"])
  }

  private func load(_ name: String, _ loader: FolderLoader) async throws -> ImageBytes {
    let result = try await loader.load(LoadRequest(url: URL(string: "local:///\(name)")!), into: RecordingSink())
    guard case .bytes(let bytes, _) = result else { throw ImageError(.invalidURL, "There are no bytes.") }
    return bytes
  }

  /// Thousands of requests may wait for their turn.
  @Test func aLargeFileIsReadWhenItsTurnHasCome() async throws {
    let folder = try Folder()
    let large = try ServiceStudio.picture(.png) + [UInt8](repeating: 0, count: 100_000)
    try folder.write(large, to: "in/a.png")
    let loader = try FolderLoader(folder: folder.path + "/in")
    let bytes = try await load("a.png", loader)
    #expect(bytes.isInLoadersFile && bytes.memoryCost == 0 && bytes.filePath == nil)
    #expect(try Array(bytes.data()) == large)
    #expect(try await !load("sub/%C3%BC%20b.png", loader).isInFile)

    let studio = try studio(folder)
    studio.order {
      $0.source = "local:///a.png"
      $0.format = .webp
    }
    let answer = await studio.get()
    #expect(try answer.status == 200 && answer.header().storedSize == PixelSize(width: 64, height: 48))
    studio.order(at: "/raw") {
      $0.source = "local:///a.png"
      $0.answer = .original
    }
    let original = await studio.get("/raw")
    #expect(original.bytes == large && original.body.allSatisfy { !$0.isInFile })
    // An original that goes out untouched is read too, because it must not change on its way.
    studio.order(at: "/same") {
      $0.source = "local:///a.png"
      $0.keepsMetadata = true
    }
    let same = await studio.get("/same")
    #expect(same.status == 200 && same.body.allSatisfy { !$0.isInFile })
  }

  @Test func aLargeFileThatIsChangedMeanwhileIsAnError() async throws {
    let folder = try Folder()
    let large = try ServiceStudio.picture(.png) + [UInt8](repeating: 0, count: 100_000)
    try folder.write(large, to: "in/a.png")
    let loader = try FolderLoader(folder: folder.path + "/in")
    let bytes = try await load("a.png", loader)
    // One that takes its place is another file, and this one stays whole.
    #expect(rename(folder.path + "/in/a.png", folder.path + "/in/a@b.png") == 0)
    try folder.write([1, 2, 3], to: "in/a.png")
    #expect(try Array(bytes.data()) == large)
    try folder.write([1, 2, 3], to: "in/a@b.png")
    let changed = #expect(throws: ImageError.self) { try bytes.data() }
    #expect(changed?.code == .truncatedBody && changed?.message.contains(folder.path) == false)
  }

  @Test func aFileOverTheLimitIsRefused() async throws {
    let folder = try Folder()
    let studio = try studio(folder)
    studio.order {
      $0.source = "local:///a.png"
      $0.limits.sourceBytes = 10
    }
    #expect(await studio.get().status == 413)
  }

  @Test func aFolderThatIsNoneIsRefusedAtOnce() {
    for path in ["/does/not/exist", "/etc/passwd", ""] {
      #expect(throws: ImageError.self) { try FolderLoader(folder: path) }
    }
  }
}
