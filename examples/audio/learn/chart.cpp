// SPDX-License-Identifier: BSL-1.0
#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <sstream>

namespace audio {

namespace {

constexpr double top = 40, width = 420, height = 220, gap = 70;
char const* const blue = "#0072b2";
char const* const red = "#d55e00";

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

class drawing {
public:
    void text(double x, double y, char const* anchor, std::string const& words) {
        svg_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << words
             << "</text>\n";
    }
    void level(double left, double y) {
        svg_ << "<line x1=\"" << left << "\" y1=\"" << y << "\" x2=\"" << left + width << "\" y2=\"" << y
             << "\" stroke=\"#dddddd\"/>\n";
    }
    /// f(k) gives the k-th point: x and y.
    void curve(char const* colour, std::size_t count, auto const& f) {
        svg_ << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << colour << "\" points=\"";
        for (std::size_t k = 0; k < count; ++k) {
            auto const [x, y] = f(k);
            svg_ << std::round(10 * x) / 10 << ',' << std::round(10 * y) / 10 << ' ';
        }
        svg_ << "\"/>\n";
    }
    void key(double left, char const* colour, std::string const& words) {
        svg_ << "<line x1=\"" << left << "\" y1=\"300\" x2=\"" << left + 20
             << "\" y2=\"300\" stroke-width=\"2\" stroke=\"" << colour << "\"/>\n";
        text(left + 26, 304, "start", words);
    }
    std::string whole() const {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"320\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
               svg_.str() + "</svg>\n";
    }

private:
    std::ostringstream svg_{};
};

struct point {
    double x, y;
};

void draw_errors(drawing& svg, std::vector<curve_point> const& curve, std::string const& unit, double most) {
    constexpr double left = 50;
    double least = 1, highest = 1e-6;
    for (curve_point const& p : curve)
        for (double const value : {p.loss, p.error}) {
            least = std::min(least, std::max(value, 1e-6));
            highest = std::max(highest, value);
        }
    double const low = std::floor(std::log10(least));
    double const high = std::max(std::ceil(std::log10(highest)), low + 1);
    auto const y_of = [&](double value) {
        return top + height * (high - std::log10(std::max(value, 1e-6))) / (high - low);
    };
    svg.text(left + width / 2, top - 16, "middle", "error over " + unit);
    for (double power = low; power <= high; ++power) {
        svg.level(left, y_of(std::pow(10, power)));
        svg.text(left - 6, y_of(std::pow(10, power)) + 4, "end", short_number(std::pow(10, power)));
    }
    svg.text(left, top + height + 18, "start", "0");
    svg.text(left + width, top + height + 18, "end", short_number(most));
    svg.curve(blue, curve.size(), [&](std::size_t k) {
        return point{left + width * curve[k].done, y_of(curve[k].loss)};
    });
    svg.curve(red, curve.size(), [&](std::size_t k) {
        return point{left + width * curve[k].done, y_of(curve[k].error)};
    });
    svg.key(left, blue, "loss, training");
    svg.key(left + 150, red, "ESR, held-out sound");
}

void draw_waves(drawing& svg, std::span<float const> target, std::span<float const> prediction, double rate) {
    constexpr double left = 50 + width + gap;
    float largest = 1e-6f;
    for (float const one : target)
        largest = std::max(largest, std::abs(one));
    auto const draw = [&](char const* colour, std::span<float const> wave) {
        svg.curve(colour, wave.size(), [&](std::size_t k) {
            double const share = static_cast<double>(k) / static_cast<double>(wave.size());
            double const y = std::clamp(static_cast<double>(wave[k] / largest), -1.2, 1.2);
            return point{left + width * share, top + height / 2 * (1 - y / 1.2)};
        });
    };
    svg.text(left + width / 2, top - 16, "middle",
             short_number(1000 * static_cast<double>(target.size()) / rate) + " ms of the held-out sound");
    svg.level(left, top + height / 2);
    draw(blue, target);
    draw(red, prediction);
    svg.key(left, blue, "amplifier");
    svg.key(left + 150, red, "net");
}

} // namespace

std::string picture(std::vector<curve_point> const& curve, std::string const& unit, double most,
                    std::span<float const> target, std::span<float const> prediction, double rate) {
    drawing svg;
    draw_errors(svg, curve, unit, most);
    draw_waves(svg, target, prediction, rate);
    return svg.whole();
}

} // namespace audio
