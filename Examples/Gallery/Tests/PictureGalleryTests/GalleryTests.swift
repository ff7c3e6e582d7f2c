import Easel
import EaselGTK
import Foundation
import Testing

@testable import PictureGallery

/// The window with pictures of a folder.
@Suite(.serialized, .enabled(if: Desktop.isReady, Desktop.isMissing))
struct GalleryTests {
  /// A folder with pictures, of which the first is large; it goes with its value.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("easel-gallery-\(UUID())")

    init(count: Int) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for number in 0..<count {
        // Grey pixels without a codec are there at once.
        let (width, height) = number == 0 ? (4000, 3000) : (40, 30)
        let pixels = Data(repeating: UInt8(clamping: 55 + number % 200), count: width * height)
        let bytes = Data("P5 \(width) \(height) 255\n".utf8) + pixels
        try bytes.write(to: url.appendingPathComponent("picture \(number).pgm"))
      }
      try Data("no picture".utf8).write(to: url.appendingPathComponent("notes.txt"))
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  @Test func aFolderGivesItsPicturesInTheOrderOfTheirNumbers() throws {
    let folder = try Folder(count: 12)
    let items = GalleryItems([folder.url.path, "https://example.org/a.jpg"])
    #expect(items.urls.count == 13 && items.urls[10].lastPathComponent == "picture 10.pgm")
    #expect(items.urls[12].absoluteString == "https://example.org/a.jpg")
  }

  @GTKActor @Test func onlyWhatIsOnTheScreenIsHeld() async throws {
    let folder = try Folder(count: 400)
    let gallery = GalleryWindow(GalleryItems([folder.url.path]), manager: .gallery(cacheDirectory: nil), width: 700)
    gallery.present()
    await gallery.waitUntilComplete(isOpen: false)
    let first = gallery.grid.visible
    #expect(first.lowerBound == 0 && first.count > 8 && first.count < 60)
    #expect(gallery.grid.shown == Set(first))
    for share in [0.2, 0.9, 1, 0.5] {
      gallery.grid.scroll(to: share)
      await gallery.waitUntilComplete(isOpen: false)
      #expect(gallery.grid.shown == Set(gallery.grid.visible))
    }
    #expect(!gallery.grid.visible.contains(0))
    gallery.close()
  }

  @GTKActor @Test func aPictureOpensAndSharpensWhereItIsZoomed() async throws {
    let folder = try Folder(count: 3)
    let gallery = GalleryWindow(GalleryItems([folder.url.path]), manager: .gallery(cacheDirectory: nil))
    gallery.present()
    await gallery.waitUntilComplete(isOpen: false)
    #expect(!gallery.press("plus") && !gallery.press("Right"))
    gallery.show(0)
    await gallery.waitUntilComplete(isOpen: true)
    let fit = gallery.viewer.scale
    #expect(gallery.viewer.isFitted && fit < 0.3 && gallery.viewer.sharpPart == nil)
    #expect(gallery.press("1"))
    await gallery.waitUntilComplete(isOpen: true)
    let part = try #require(gallery.viewer.sharpPart)
    #expect(gallery.viewer.scale == 1 && part.width < 4000 && part.x > 0 && part.y > 0)
    #expect(gallery.press("0") && gallery.viewer.scale == fit)
    #expect(gallery.press("Right") && gallery.open == 1 && gallery.press("Left") && gallery.press("Left"))
    #expect(gallery.open == 2)
    #expect(gallery.press("Escape") && gallery.open == nil && !gallery.press("Escape"))
    gallery.close()
  }

  @Test func detailsSayWhatTheHeaderSays() async throws {
    let folder = try Folder(count: 1)
    let url = folder.url.appendingPathComponent("picture 0.pgm")
    let lines = await Details.lines(of: url, from: .gallery(cacheDirectory: nil))
    #expect(lines.prefix(3) == ["picture 0.pgm", "image/x-portable-anymap", "4000 × 3000, 12.0 megapixels"])
    let missing = await Details.lines(
      of: folder.url.appendingPathComponent("none.png"), from: .gallery(cacheDirectory: nil))
    #expect(missing.count == 2)
  }
}
