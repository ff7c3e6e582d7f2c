import Easel
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// Thumbnails for file managers, in the cache that desktops share.
@Suite(.tags(.alone))
struct ThumbnailTests {
  /// Runs the program with a cache of its own.
  private func run(_ words: [String], _ scratch: Scratch) throws -> Child.Outcome {
    try EaselProcess.run(
      ["thumbnail", "--freedesktop", "--json"] + words, environment: ["XDG_CACHE_HOME": scratch.path("cache")])
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func texts(_ path: String) throws -> [String: String] {
    PNGText.texts(of: Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }

  @Test func thumbnailsHaveTheNamesAndTheTextsThatDesktopsLookFor() throws {
    try Scratch.with { scratch in
      let input = try scratch.write(try Pictures.png(300, 150), "a b;é.png")
      let uri = try #require(FileURI(input)).text
      #expect(uri.hasSuffix("/a%20b%3B%C3%A9.png") && uri.hasPrefix("file:///"))
      for (words, folder, width) in [
        (["--size", "128"], "normal", 128), ([], "large", 256), (["--size", "300"], "x-large", 300),
        (["--size", "2000"], "xx-large", 300),
      ] {
        let outcome = try run(words + [folder == "large" ? uri : input], scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let path = try #require(try outcome.object()["output"] as? String)
        #expect(path.hasPrefix(scratch.path("cache/thumbnails/\(folder)/")))
        #expect(try mode(path) == 0o600 && mode(scratch.path("cache/thumbnails/\(folder)")) == 0o700)
        let image = try Pictures.decoded(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(image.size == PixelSize(width: width, height: width / 2))
        let texts = try texts(path)
        #expect(texts["Thumb::URI"] == uri && texts["Thumb::Mimetype"] == "image/png")
        #expect(texts["Thumb::Image::Width"] == "300" && texts["Thumb::Image::Height"] == "150")
        let attributes = try FileManager.default.attributesOfItem(atPath: input)
        let changed = try #require(attributes[.modificationDate] as? Date).timeIntervalSince1970
        #expect(texts["Thumb::MTime"] == "\(Int(changed.rounded(.down)))")
        #expect(texts["Thumb::Size"] == (attributes[.size] as? Int).map { "\($0)" })
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("cache/thumbnails")).count == 4)
    }
  }

  @Test func aThumbnailThatIsThereIsMadeAgainOnlyWhenTheFileHasChanged() throws {
    try Scratch.with { scratch in
      let input = try scratch.write(try Pictures.png(300, 150), "a.png")
      #expect(try run([input], scratch).object()["made"] as? Bool == true)
      #expect(try run([input], scratch).object()["made"] as? Bool == false)
      #expect(try run(["--anew", input], scratch).object()["made"] as? Bool == true)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: input)
      let made = try run([input], scratch).object()
      #expect(made["made"] as? Bool == true)
      #expect(try texts(try #require(made["output"] as? String))["Thumb::MTime"] == "1000000000")
    }
  }

  @Test func aBrokenFileCostsOneNoteAndIsNotTriedAgain() throws {
    try Scratch.with { scratch in
      var broken = try Pictures.png(300, 150)
      broken.removeSubrange(40...)
      let input = try scratch.write(broken, "broken.png")
      let whole = try scratch.write(try Pictures.png(30, 15), "whole.png")
      let outcome = try run([input, whole], scratch)
      #expect(outcome.status == 1)
      let objects = try outcome.objects()
      #expect(objects.count == 2 && objects[0]["error"] != nil && objects[1]["made"] as? Bool == true)
      let notes = scratch.path("cache/thumbnails/fail/easel-\(Program.version)")
      let note = try #require(try FileManager.default.contentsOfDirectory(atPath: notes).first)
      #expect(try mode(notes + "/" + note) == 0o600 && texts(notes + "/" + note)["Thumb::URI"] == FileURI(input)?.text)
      let again = try run([input], scratch)
      let message = (try again.object()["error"] as? [String: Any])?["message"] as? String
      #expect(again.status == 1 && message?.contains("before") == true)
      // A file that has become whole is tried, and its note goes.
      try Pictures.png(300, 150).write(to: scratch.url("broken.png"))
      #expect(try run(["--anew", input], scratch).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: notes).isEmpty)
    }
  }

  @Test func whatIsNoFileHasNoThumbnailAndNoNote() throws {
    try Scratch.with { scratch in
      let outcome = try run([scratch.path("none.png"), "https://host/a.png"], scratch)
      #expect(outcome.status == 1)
      let errors = try outcome.objects().compactMap { ($0["error"] as? [String: Any])?["message"] as? String }
      #expect(errors.count == 2 && errors[1].contains("local files"))
      #expect(!FileManager.default.fileExists(atPath: scratch.path("cache/thumbnails/fail")))
      // Thumbnails have none.
      let input = try scratch.write(try Pictures.png(300, 150), "a.png")
      let path = try #require(try run([input], scratch).object()["output"] as? String)
      #expect(try run([path], scratch).status == 1)
      #expect(try EaselProcess.run(["thumbnail", "--freedesktop"]).status == 2)
    }
  }

  @Test func aDesktopNamesInputAndOutput() throws {
    try Scratch.with { scratch in
      let input = try scratch.write(try Pictures.png(300, 150), "a.png")
      let output = try scratch.write(Data(), "thumbnail.png")
      let outcome = try EaselProcess.run(["thumbnail", "--size", "100", input, output])
      #expect(outcome.status == 0 && outcome.text == "\(input) -> \(output): 100x50\n", "\(outcome.errors)")
      #expect(try Pictures.decoded(try scratch.data("thumbnail.png")).size == PixelSize(width: 100, height: 50))
      #expect(try EaselProcess.run(["thumbnail", input]).status == 2)
    }
  }

  @Test func theEntryNamesAllFormats() throws {
    let outcome = try EaselProcess.run(["thumbnail", "--entry"])
    #expect(outcome.lines[0] == "[Thumbnailer Entry]" && outcome.lines[2].hasPrefix("Exec=easel thumbnail "))
    let types = Set(outcome.lines[3].dropFirst("MimeType=".count).split(separator: ";").map(String.init))
    let formats = CoderRegistry.program.coders.flatMap(\.formats).map(\.mimeType)
    #expect(outcome.lines[3].hasPrefix("MimeType=") && types.isSuperset(of: formats) && types.contains("image/avif"))
  }
}

/// The types of files as desktops name them.
struct ThumbnailerTypeTests {
  private static let desktopTypes = "/usr/share/mime/globs2"

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: desktopTypes), "Install the package shared-mime-info."))
  func theEntryHasTheTypesThatADesktopGivesToFilesOfAllFormats() throws {
    let text = try String(contentsOfFile: Self.desktopTypes, encoding: .utf8)
    // A line has the weight, the type and the pattern of names: 50:image/png:*.png
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: ":") }
    let endings = Set(FormatNames.readExtensions.map { "*." + $0 })
    var found: Set<String> = []
    // Other things have some of these names, too.
    for row in rows where row.count >= 3 && row[1].hasPrefix("image/") && endings.contains(String(row[2])) {
      found.insert(String(row[2]))
      #expect(ThumbnailerEntry.types.contains(String(row[1])), "\(row[2])")
    }
    #expect(found.isSuperset(of: ["*.png", "*.jpg", "*.heic", "*.avif", "*.jxl", "*.jp2", "*.svg", "*.tif"]))
  }
}

/// Names and texts of thumbnails.
struct ThumbnailNameTests {
  @Test func theNameIsTheHashOfTheURI() throws {
    let cache = try #require(ThumbnailCache(environment: ["HOME": "/home/jens"]))
    let uri = try #require(FileURI("file:///home/jens/photos/me.png"))
    // The example of the specification.
    #expect(
      try cache.path(of: uri, .normal) == "/home/jens/.cache/thumbnails/normal/c6ee772d9e49320e97ec29a7eb5b1697.png")
    #expect(ThumbnailCache(environment: ["HOME": "/a", "XDG_CACHE_HOME": "/b"])?.folder == "/b/thumbnails")
    #expect(ThumbnailCache(environment: ["HOME": "/a", "XDG_CACHE_HOME": "b"])?.folder == "/a/.cache/thumbnails")
    #expect(ThumbnailCache(environment: [:]) == nil)
  }

  @Test(arguments: [
    ("/a/b.png", "file:///a/b.png"), ("/a/../b//./c", "file:///b/c"), ("file:///a%20b", "file:///a%20b"),
    ("file://localhost/a", "file:///a"), ("file:/a%3b", "file:///a%3B"), ("/a;#?%[]", "file:///a%3B%23%3F%25%5B%5D"),
    ("/!$&'()*+,-.:=@_~", "file:///!$&'()*+,-.:=@_~"), ("/é", "file:///%C3%A9"),
  ])
  func aFileHasOneURI(_ word: String, _ uri: String) { #expect(FileURI(word)?.text == uri) }

  @Test(arguments: ["-", "https://host/a.png", "file://host/a.png", "file:///a%0", "file:///%00", "file:///%FF"])
  func whatIsNoLocalFileHasNone(_ word: String) { #expect(FileURI(word) == nil) }

  @Test func theSmallestSizeThatHasThePixelsIsTaken() {
    let sizes = [1, 128, 129, 256, 257, 512, 513, 1024, 5000].map { ThumbnailSize(atLeast: $0) }
    #expect(sizes == [.normal, .normal, .large, .large, .xLarge, .xLarge, .xxLarge, .xxLarge, .xxLarge])
  }

  @Test func textsStandBehindTheHeader() throws {
    let png = Array(try Pictures.png(3, 2))
    let changed = PNGText.adding([(name: "Software", value: "easel"), (name: "Thumb::MTime", value: "7")], to: png)
    #expect(PNGText.texts(of: changed) == ["Software": "easel", "Thumb::MTime": "7"])
    #expect(PNGText.texts(of: []) == [:] && PNGText.texts(of: png) == [:])
    // A reader that checks sums takes it.
    #expect(try Pictures.decoded(Data(changed)).bitmap == Pictures.decoded(Data(png)).bitmap)
    // Every cut is read without a fault.
    for length in 0..<changed.count { _ = PNGText.texts(of: Array(changed.prefix(length))) }
  }
}
