import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// Variants of the pictures of a site.
@Suite(.tags(.alone)) struct SiteTests {
  private func site(_ scratch: Scratch, _ words: String...) throws -> EaselProcess.Outcome {
    try EaselProcess.run(
      ["site", scratch.path("photos"), "-o", scratch.path("out"), "--widths", "20,40,80", "--formats", "webp,png"]
        + words)
  }

  private func photos(_ scratch: Scratch, _ sizes: [(String, Int, Int)]) throws {
    for (name, width, height) in sizes {
      let url = scratch.url("photos/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Pictures.png(width, height, blue: 9).write(to: url)
    }
  }

  private func files(_ scratch: Scratch) -> [String: Date] {
    let walk = FileManager.default.enumerator(at: scratch.url("out"), includingPropertiesForKeys: nil)
    var files: [String: Date] = [:]
    while let url = walk?.nextObject() as? URL {
      guard !url.hasDirectoryPath else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      files[String(url.path.dropFirst(scratch.path("out").count + 1))] = attributes?[.modificationDate] as? Date
    }
    return files
  }

  private func manifest(_ scratch: Scratch) throws -> SiteManifest {
    try JSONDecoder().decode(SiteManifest.self, from: try scratch.data("out/manifest.json"))
  }

  @Test func aPictureBecomesAFileForEachWidthAndFormat() throws {
    try Scratch.with { scratch in
      try photos(scratch, [("big cat.png", 120, 60), ("trips/small.png", 30, 30)])
      let outcome = try site(scratch, "--base", "/img/", "--sizes", "50vw")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let pictures = try manifest(scratch).pictures
      #expect(pictures.map { [$0.width, $0.height] } == [[120, 60], [30, 30]])
      let big = pictures[0].variants
      #expect(big.map(\.width) == [20, 40, 80, 20, 40, 80] && big.map(\.height) == [10, 20, 40, 10, 20, 40])
      #expect(big.map(\.type) == Array(repeating: "image/webp", count: 3) + Array(repeating: "image/png", count: 3))
      // A small picture has its own width, and none above.
      #expect(pictures[1].variants.map(\.width) == [20, 30, 20, 30])
      for variant in pictures.flatMap(\.variants) {
        let data = try scratch.data("out/\(variant.file)")
        let image = try Pictures.decoded(data)
        #expect(data.count == variant.bytes && image.bitmap.width == variant.width)
        #expect(variant.file.contains(".\(variant.key)."))
      }
      #expect(pictures[1].variants.allSatisfy { $0.file.hasPrefix("trips/small-") })
      let html = String(decoding: try scratch.data("out/snippets/big cat.html"), as: UTF8.self)
      #expect(html == pictures[0].html)
      #expect(html.contains("<source type=\"image/webp\" srcset=\"/img/big%20cat-20.\(big[0].key).webp 20w, "))
      #expect(html.contains("<img src=\"/img/big%20cat-80.\(big[5].key).png\""))
      #expect(html.contains("sizes=\"50vw\" width=\"120\" height=\"60\" alt=\"big cat\""))
    }
  }

  @Test func nothingIsMadeTwice() throws {
    try Scratch.with { scratch in
      try photos(scratch, [("a.png", 120, 60), ("b.png", 100, 60)])
      #expect(try site(scratch).status == 0)
      let before = files(scratch)
      let again = try site(scratch)
      #expect(
        again.status == 0 && again.text.contains("skipped, because all of its variants are there"), "\(again.text)")
      let variants = { (files: [String: Date]) in
        files.filter { !$0.key.hasSuffix(".html") && !$0.key.hasSuffix(".json") }
      }
      #expect(variants(files(scratch)) == variants(before))

      // Another picture under the name gets files of its own, and a lost file comes back.
      try Pictures.png(120, 60, blue: 200).write(to: scratch.url("photos/a.png"))
      let lost = try #require(try manifest(scratch).pictures[1].variants.first?.file)
      try FileManager.default.removeItem(at: scratch.url("out/\(lost)"))
      let third = try site(scratch)
      #expect(third.text.contains("a.png: 6 of 6 variants written") && third.text.contains("b.png: 1 of 6 variants"))
      let after = variants(files(scratch))
      #expect(after.count == variants(before).count + 6 && after[lost] != nil)
      #expect(Set(variants(before).keys).isSubset(of: after.keys))
    }
  }

  @Test func whatIsNotNeededGoesOnRequest() throws {
    try Scratch.with { scratch in
      try photos(scratch, [("a.png", 120, 60), ("b.png", 100, 60)])
      #expect(try site(scratch).status == 0)
      try FileManager.default.removeItem(at: scratch.url("photos/b.png"))
      try Data("keep".utf8).write(to: scratch.url("out/b-20.mine.png"))
      #expect(try site(scratch, "--prune").status == 0)
      let left = files(scratch).keys
      #expect(left.filter { $0.hasPrefix("b-") } == ["b-20.mine.png"] && left.filter { $0.hasPrefix("a-") }.count == 6)
    }
  }

  /// A manifest is a file like any other, and must not lead to other places.
  @Test func aForeignManifestRemovesNothingOutside() throws {
    try Scratch.with { scratch in
      try photos(scratch, [("a.png", 120, 60)])
      try FileManager.default.createDirectory(at: scratch.url("out"), withIntermediateDirectories: true)
      _ = try scratch.write(Data("mine".utf8), "mine")
      let variant = SiteManifest.Variant(file: "../mine", key: "x", type: "image/png", width: 1, height: 1, bytes: 4)
      let picture = SiteManifest.Picture(source: "x", width: 1, height: 1, variants: [variant], html: "")
      try Data(try SiteManifest([picture]).text()).write(to: scratch.url("out/manifest.json"))
      #expect(try site(scratch, "--prune").status == 0)
      #expect(try scratch.data("mine") == Data("mine".utf8))
    }
  }

  @Test func aPictureThatCannotBeReadIsTold() throws {
    try Scratch.with { scratch in
      try photos(scratch, [("a.png", 120, 60)])
      _ = try scratch.write(Data("no picture".utf8), "photos/b.png")
      let outcome = try site(scratch)
      #expect(outcome.status == 1 && outcome.errors.contains("b.png"))
      #expect(try manifest(scratch).pictures.count == 1)
    }
  }

  @Test(arguments: [
    (["photos"], "site needs --output DIR"), (["-", "-o", "out"], "site needs files, folders or URLs"),
    (["photos", "-o", "out", "--widths", "0"], "--widths needs whole numbers"),
    (["photos", "-o", "out", "--formats", "none"], "--formats needs names of formats"),
  ])
  func mistakesAreNamed(_ words: [String], _ message: String) throws {
    let outcome = try EaselProcess.run(["site"] + words)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
