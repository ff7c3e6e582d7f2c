import CGalleryWindow
import Easel

/// One place of the grid, which shows the picture of a URL.
@GTKActor
final class PictureCell: ImageTarget {
  nonisolated let imageLoads = TargetLoads()
  nonisolated var imageExecutor: any Actor { GTKActor.shared }

  private let window: OpaquePointer
  private let place: Int

  init(_ window: OpaquePointer, place: Int) {
    self.window = window
    self.place = place
  }

  func show(_ image: Image?, for key: String) {
    guard let bitmap = try? image?.bitmap.converted(to: .rgba8) else {
      return gallery_window_clear(window, Int32(place))
    }
    bitmap.withUnsafeBytes { bytes in
      gallery_window_show(
        window, Int32(place), bytes.baseAddress!, Int32(bitmap.width), Int32(bitmap.height), Int32(bitmap.bytesPerRow))
    }
  }
}
