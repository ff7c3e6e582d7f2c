import Easel
import EaselGTK
import Foundation
import PictureGallery

/// A window with the pictures of folders and URLs.
@main
struct Main {
  private static let usage = """
    usage: easel-gallery [option ...] FOLDER | FILE | URL ...

      --open N      open the picture with this number, counted from 1
      --zoom SCALE  show it in this scale; 1 is one pixel of the screen for each of its own
      --details     show what its header says
      --dark        choose the dark form of the theme
      --size WxH    the size of the window
      --shot FILE   write the window as a PNG when all of it is drawn, and end

    Keys: Return opens a picture, Escape closes it, arrows go to the next one; + - 0 1 zoom; i details; F5 slide show;
    F11 full screen. Two fingers zoom, Control and the wheel do too.
    """

  static func main() throws {
    var words = Array(CommandLine.arguments.dropFirst())
    if words.contains("--help") || words.isEmpty { return print(usage) }
    func value(_ name: String) -> String? {
      guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
      defer { words.removeSubrange(index...index + 1) }
      return words[index + 1]
    }
    func flag(_ name: String) -> Bool {
      guard let index = words.firstIndex(of: name) else { return false }
      words.remove(at: index)
      return true
    }
    let number = value("--open").flatMap(Int.init)
    let zoom = value("--zoom").flatMap(Double.init)
    let shot = value("--shot")
    let size = value("--size").map { $0.split(separator: "x").compactMap { Int($0) } } ?? []
    let (isDark, hasDetails) = (flag("--dark"), flag("--details"))
    let items = GalleryItems(words)
    try GTKActor.run {
      if isDark { GalleryWindow.preferDark() }
      let gallery = GalleryWindow(
        items, manager: .gallery(), width: size.count == 2 ? size[0] : 1100, height: size.count == 2 ? size[1] : 750)
      kept = gallery
      gallery.present()
      if let number {
        gallery.show(number - 1)
        if hasDetails { gallery.toggleDetails() }
      }
      if let zoom {
        await gallery.waitUntilComplete(isOpen: number != nil)
        gallery.viewer.zoom(to: zoom)
      }
      guard let shot else { return }
      await gallery.waitUntilComplete(isOpen: number != nil)
      guard gallery.write(to: shot) else { throw ShotFailed(path: shot) }
      GTKActor.quit()
    }
  }

  /// The window, which lives as long as the program.
  @GTKActor private static var kept: GalleryWindow?
}

struct ShotFailed: Error, CustomStringConvertible {
  let path: String
  var description: String { "The window was not written to \(path): is its folder there?" }
}
