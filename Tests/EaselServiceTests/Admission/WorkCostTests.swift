import EaselAVIF
import EaselCore
import EaselJPEG
import EaselSupport
import Testing

@testable import EaselService
import EaselFormats

struct WorkCostTests {
  private static let avif = ImageFormat(mimeType: "image/avif")
  private static let small = 512 * 384
  private static let large = 1280 * 960

  /// The encoding time in milliseconds, without what every piece of work costs.
  private func milliseconds(_ pixels: Int, _ format: ImageFormat, _ options: EncodeOptions = EncodeOptions()) -> Double
  {
    let fixed = CostFactors.fixed + Double(pixels) * CostFactors.changing
    return (Double(WorkCost(resultPixels: pixels, format: format, options: options).nanoseconds) - fixed) / 1e6
  }

  private func options(_ change: (inout EncodeOptions) -> Void) -> EncodeOptions {
    var options = EncodeOptions()
    change(&options)
    return options
  }

  /// The measured times at both widths are within a third of the estimate.
  @Test(arguments: [
    ("image/jpeg", 1, 1.0, 5.0), ("image/webp", 2, 11, 73), ("image/webp", 4, 26, 135), ("image/avif", 9, 43, 236),
    ("image/avif", 8, 100, 434), ("image/avif", 6, 289, 1345), ("image/avif", 4, 1345, 6458),
  ])
  func estimatesAgreeWithTheMeasuredTimes(_ type: String, _ level: Int, _ small: Double, _ large: Double) {
    let options = options {
      $0.settings[.jpegEffort] = level
      $0.settings[.webpMethod] = level
      $0.settings[.avifSpeed] = level
    }
    let format = ImageFormat(mimeType: type)
    #expect((0.66...1.5).contains(milliseconds(Self.small, format, options) / small))
    #expect((0.66...1.5).contains(milliseconds(Self.large, format, options) / large))
  }

  @Test(arguments: [("image/jpeg", 29), ("image/png", 132), ("image/webp", 105), ("image/avif", 200)])
  func decodingCountsWithTheSourcesPixels(_ type: String, _ milliseconds: Double) {
    let bare = WorkCost(resultPixels: 1000, format: .jpeg)
    let whole = WorkCost(
      source: ImageFormat(mimeType: type), sourcePixels: 12_000_000, resultPixels: 1000, format: .jpeg)
    let share = Double(whole.nanoseconds - bare.nanoseconds) / 1e6 / milliseconds
    #expect((0.9...1.1).contains(share))
  }

  @Test func pixelsThatAreThereAlreadyCostNoDecoding() {
    let cost = WorkCost(source: nil, sourcePixels: 12_000_000, resultPixels: 1000, format: .jpeg)
    #expect(cost == WorkCost(resultPixels: 1000, format: .jpeg))
  }

  @Test func everyFrameCounts() {
    let one = WorkCost(source: .gif, sourcePixels: 90_000, resultPixels: 90_000, format: .webp)
    let sixty = WorkCost(source: .gif, sourcePixels: 90_000, resultPixels: 90_000, frameCount: 60, format: .webp)
    #expect(Double(sixty.nanoseconds) > 55 * Double(one.nanoseconds) - 60 * CostFactors.fixed)
  }

  @Test func whatTakesLongerCostsMore() {
    func cost(_ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }) -> Int {
      WorkCost(resultPixels: 100_000, format: format, options: options(change)).nanoseconds
    }
    #expect(cost(.jpeg) < cost(.webp) && cost(.webp) < cost(Self.avif))
    #expect(cost(.webp) < cost(.webp) { $0.lossless = true })
    #expect(cost(.jpeg) < cost(.jpeg) { $0.maxFileBytes = 10_000 })
    #expect(cost(.png) < cost(.png) { $0.compressionLevel = 9 })
    for method in 0..<6 {
      #expect(cost(.webp) { $0.settings[.webpMethod] = method } < cost(.webp) { $0.settings[.webpMethod] = method + 1 })
    }
    for speed in 0..<9 {
      #expect(
        cost(Self.avif) { $0.settings[.avifSpeed] = speed } > cost(Self.avif) { $0.settings[.avifSpeed] = speed + 1 })
    }
    #expect(cost(Self.avif) { $0.settings[.avifSpeed] = 9 } == cost(Self.avif) { $0.settings[.avifSpeed] = 10 })
  }

  @Test func settingsOutsideTheTableAreTakenAsTheNearestOne() {
    func cost(_ method: Int) -> WorkCost {
      WorkCost(resultPixels: 100, format: .webp, options: options { $0.settings[.webpMethod] = method })
    }
    #expect(cost(-5) == cost(0) && cost(Int.max) == cost(6) && cost(Int.min) == cost(0))
  }

  @Test func hostileNumbersGiveABoundedCost() {
    let most = WorkCost(
      source: .png, sourcePixels: .max, resultPixels: .max, frameCount: .max, format: Self.avif)
    #expect(most.time == .seconds(86_400) && most.encodesAVIF)
    #expect(
      WorkCost(source: .png, sourcePixels: .min, resultPixels: .min, frameCount: .min, format: .png).nanoseconds > 0)
    #expect(WorkCost(nanoseconds: -5).nanoseconds == 1)
  }

  @Test func aFormatThatNobodyKnowsCostsMoreThanTheKnownOnes() {
    let unknown = ImageFormat(mimeType: "image/x-plugin")
    let costs = FormatCards.tested
    #expect(costs[unknown] == nil && costs.cost(of: unknown).decoding > costs.cost(of: .png).decoding)
    #expect(costs.cost(of: unknown).encoding(EncodeOptions()) > costs.cost(of: .jpeg).encoding(EncodeOptions()))
  }

  @Test func aCostCanBeToldInPixels() {
    let decoding = WorkCost(nanoseconds: Int(1_000_000 * FormatCards.tested.cost(of: .jpeg).decoding))
    #expect(decoding.pixels == 1_000_000)
  }

  @Test func smallWorkIsCheapWhateverItsFormat() {
    let settings = AdmissionSettings(processors: 2)
    func lane(_ source: ImageFormat, _ pixels: Int, _ side: Int, _ format: ImageFormat) -> AdmissionLane {
      settings.lane(of: WorkCost(source: source, sourcePixels: pixels, resultPixels: side * side, format: format))
    }
    #expect(lane(.jpeg, 512 * 512, 64, .webp) == .cheap)
    #expect(lane(.jpeg, 512 * 512, 64, Self.avif) == .cheap)
    #expect(lane(.jpeg, 12_000_000, 64, .jpeg) == .normal)
    #expect(lane(.jpeg, 2_000_000, 512, .webp) == .normal)
    #expect(lane(.jpeg, 2_000_000, 512, Self.avif) == .avif)
  }

  /// A hundred by a hundred pixels are cheap, and the rules of a drawing may be dear.
  @Test func aSmallDrawingWithManyRulesIsNotCheap() {
    let settings = AdmissionSettings(processors: 2)
    func cost(_ effort: Duration) -> WorkCost {
      WorkCost(
        source: ImageFormat(mimeType: "image/svg+xml"), sourcePixels: 10_000, resultPixels: 10_000, format: .png,
        effort: effort)
    }
    #expect(settings.lane(of: cost(.milliseconds(1))) == .cheap)
    #expect(settings.lane(of: cost(.milliseconds(10))) == .normal)
    #expect(settings.lane(of: cost(.milliseconds(249))) == .normal)
    #expect(settings.lane(of: cost(.milliseconds(250))) == .heavy)
    #expect(cost(.seconds(3)).time > .seconds(6))
    #expect(cost(.seconds(-3)).time == cost(.zero).time && cost(.seconds(1 << 40)).time == .seconds(86_400))
  }

  /// What the header of a file tells of its work counts once for each frame.
  @Test func whatAHeaderTellsOfItsWorkCounts() {
    func cost(_ effort: Duration?, frames: Int = 1, pixels: Int = 1_000_000) -> WorkCost {
      var header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: pixels / 1000, height: 1000))
      header.effort = effort
      let work = PixelWork(
        header: header, resultSize: PixelSize(width: 320, height: 240), frameCount: frames, format: .jpeg)
      return WorkCost(work, formats: .tested)
    }
    #expect(cost(.milliseconds(30)).time - cost(nil).time == .milliseconds(30))
    #expect(cost(.milliseconds(30), frames: 4).time - cost(nil, frames: 4).time == .milliseconds(120))
    let settings = AdmissionSettings(processors: 2)
    #expect(settings.lane(of: cost(.milliseconds(499))) == .normal)
    #expect(settings.lane(of: cost(.milliseconds(500))) == .heavy)
    // A picture so large that the effort is the smaller part of its cost is an ordinary one.
    #expect(settings.lane(of: cost(.milliseconds(500), pixels: 400_000_000)) == .normal)
    #expect(cost(.seconds(-3)) == cost(nil))
  }

  @Test func settingsFollowTheProcessors() {
    let one = AdmissionSettings(processors: 1)
    #expect(one.places == 1 && one.reservedPlaces == 1 && one.avifPlaces == 1 && one.heavyPlaces == 1)
    let many = AdmissionSettings(processors: 16)
    #expect(many.places == 16 && many.reservedPlaces == 4 && many.avifPlaces == 8 && many.heavyPlaces == 8)
    #expect(AdmissionSettings().places == CPUBudget.processors)
  }
}
