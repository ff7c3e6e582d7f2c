import CGalleryWindow
import Easel
import ExampleSupport
import Foundation

/// A window with a scrolling grid of remote pictures; each place of the grid is a target of Easel.
///
/// usage: GTKGallery [--then PROGRAM]. With a program it scrolls down, runs the program (to take a picture of the
/// screen), and ends.
@main
struct GTKGallery {
  static func main() throws {
    // This is not a task of the main actor, because GTK's loop does not serve that actor's queue.
    Task.detached {
      do {
        try await show()
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
    }
    gallery_run()
  }

  @GTKActor
  private static func show() async throws {
    let gallery = try Gallery()
    let urls = try gallery.offerLandscapes(0..<18)
    guard let window = gallery_window_open("Easel", Int32(urls.count), 180) else { throw NoDisplay() }
    defer { gallery_window_close(window) }
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let context: ImageContext = [.transformer([.resize(width: 180), .roundCorners(14)])]
    let cells = urls.indices.map { PictureCell(window, place: $0) }
    let loads = zip(cells, urls).map { cell, url in
      cell.setImage(url, from: manager, options: .waitTransition, context: context)
    }
    for load in loads { _ = try await load.result }
    print("\(loads.count) pictures in the window")
    guard let mark = CommandLine.arguments.firstIndex(of: "--then") else { return await untilClosed() }
    gallery_window_scroll(window, 0.5)
    // This gives the window time to be drawn.
    try await Task.sleep(for: .seconds(1))
    try run(Array(CommandLine.arguments[(mark + 1)...]))
    gallery_quit()
  }

  /// Waits until the loop ends.
  private static func untilClosed() async {
    while true { try? await Task.sleep(for: .seconds(3600)) }
  }

  private static func run(_ program: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = program
    try process.run()
    process.waitUntilExit()
  }
}
