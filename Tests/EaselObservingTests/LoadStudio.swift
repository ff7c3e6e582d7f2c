import EaselCore
import EaselManager
import EaselTestSupport
import EaselTiers
import FoundationEssentials

/// A manager with a fake loader and an observer.
struct LoadStudio {
  static let url = URL(string: "https://user:secret@host/path/a.toy?token=secret")!

  let loader = FakeLoader()
  let manager: ImageManager

  init(_ observer: any ImageObserver, caches: Bool = true) {
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([ToyCoder()]), cache: caches ? RecordingCache("cache") : TieredCache())
    configuration.observer = observer
    manager = ImageManager(configuration)
    loader.script(Self.url, .body(ToyImage(width: 4, height: 4, color: .black).bytes))
  }

  func load(_ options: ImageOptions = []) -> ImageTask {
    manager.load(ImageRequest(url: Self.url, options: options.union(.waitStore)))
  }
}
