import CGTK
import Easel
import EaselGTK
import Foundation
import PictureGallery

/// Measures a grid of photos: the first screen, and the frames while it is scrolled from its top to its end.
///
/// usage: MeasureGallery FOLDER --cache FOLDER [--fill | --plain] [--frames N] [--seconds N]
///
/// `--fill` puts the thumbnails into the cache, and measures nothing. `--plain` measures a grid of GtkPicture instead, which
/// reads its files with gtk_picture_set_file. It prints one JSON object.
@main
struct Main {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    func value(_ name: String) -> String? {
      words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
    }
    let items = GalleryItems([words[0]])
    let counts = Counts()
    let manager = ImageManager.gallery(cacheDirectory: value("--cache")) { $0.addObserver(counts) }
    let frames = value("--frames").flatMap(Int.init) ?? 600
    let seconds = value("--seconds").flatMap(Double.init) ?? 120
    try GTKActor.run {
      if words.contains("--fill") {
        try await fill(items, manager)
      } else if words.contains("--plain") {
        let grid = PlainGrid(items.urls)
        print(await Run(grid.window, grid.scroller) { grid.isComplete }.measure(frames, seconds).text)
        print("plain")
      } else {
        let gallery = GalleryWindow(items, manager: manager, width: 1000, height: 700)
        gallery.showGrid()
        let run = Run(gallery.window, gallery.grid.widget) { gallery.grid.isComplete }
        print(await run.measure(frames, seconds).text)
        print(counts.text)
      }
      GTKActor.quit()
    }
  }

  private static func fill(_ items: GalleryItems, _ manager: ImageManager) async throws {
    let prefetcher = ImagePrefetcher(manager: manager, concurrency: 4)
    let batch = prefetcher.prefetch(items.urls.map { PictureGrid.request($0) }, to: .disk)
    let outcome = await batch.outcome
    print("{\"filled\": \(outcome.finished), \"skipped\": \(outcome.skipped)}")
  }
}
