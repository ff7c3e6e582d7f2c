import Easel
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// Each test is a process of its own, because the shared manager is made only once in a process.
@Suite(.tags(.alone))
struct SharedManagerTests {
  @Test func theSharedManagerHasTheConfigurationThatItWasGiven() async {
    await #expect(processExitsWith: .success) {
      let (loader, url) = (FakeLoader(), URL(string: "http://host/a")!)
      loader.script(url, .body(Array("FLAG".utf8) + [3, 2, 1, 2, 3]))
      var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
      configuration.loader = loader
      configuration.coder = configuration.coder.adding(FlagCoder())
      try ImageManager.configureShared(configuration)
      #expect(loader.callCount == 0)
      #expect(try await ImageManager.shared.image(for: url).size == PixelSize(width: 3, height: 2))
      #expect(ImageManager.shared === ImageManager.shared)
    }
  }

  @Test func theSnippetOfTheDocumentationConfiguresIt() async {
    await #expect(processExitsWith: .success) {
      // Documentation: getting started.
      var configuration = ImageManager.Configuration.standard()
      configuration.limits.framePixels = 20_000_000
      try ImageManager.configureShared(configuration)
      #expect(ImageManager.shared.configuration.limits.framePixels == 20_000_000)
    }
  }

  @Test func aConfigurationThatComesAfterTheFirstUseIsAnError() async {
    await #expect(processExitsWith: .success) {
      let standard = ImageManager.shared
      var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
      configuration.limits.frames = 1
      let error = #expect(throws: ImageManager.SharedManagerIsSet.self) {
        try ImageManager.configureShared(configuration)
      }
      #expect(error == .byUse)
      #expect("\(error!)".contains("was used before"))
      #expect(ImageManager.shared === standard && standard.configuration.limits == Limits())
    }
  }

  @Test func aSecondConfigurationIsAnErrorAndTheFirstOneStays() async {
    await #expect(processExitsWith: .success) {
      var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
      configuration.limits.frames = 7
      try ImageManager.configureShared(configuration)
      for _ in 0..<2 {
        let error = #expect(throws: ImageManager.SharedManagerIsSet.self) {
          try ImageManager.configureShared(.standard(cacheDirectory: nil))
        }
        #expect(error == .byConfiguration)
        #expect(ImageManager.shared.configuration.limits.frames == 7)
      }
    }
  }

  @Test func anErrorThatNobodyCatchesEndsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = ImageManager.shared
      try ImageManager.configureShared(.standard(cacheDirectory: nil))
    }
  }

  @Test func ofManyThreadsOneConfiguresTheManagerAndAllUseThatOne() async {
    await #expect(processExitsWith: .success) {
      let configured: [Int] = await withTaskGroup(of: Int?.self) { group in
        for number in 1...32 {
          group.addTask {
            var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
            configuration.limits.frames = number
            if number % 4 == 0 { _ = ImageManager.shared }
            return (try? ImageManager.configureShared(configuration)).map { number }
          }
        }
        return await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
      }
      // The manager is standard if a use came first; then every configuration failed.
      let frames = configured.isEmpty ? [Limits().frames] : configured
      #expect(frames == [ImageManager.shared.configuration.limits.frames])
    }
  }
}
