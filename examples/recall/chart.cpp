// SPDX-License-Identifier: BSL-1.0
#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace recall {

namespace {

using curves = std::vector<lesson const*>;

/// The lessons of each task.
std::vector<curves> by_task(std::deque<lesson> const& lessons) {
    std::vector<curves> tasks;
    for (lesson const& l : lessons) {
        if (tasks.empty() || tasks.back().front()->task_name() != l.task_name())
            tasks.emplace_back();
        tasks.back().push_back(&l);
    }
    return tasks;
}

std::string text_chart_of(curves const& all) {
    constexpr std::size_t lines = 11, columns = 60;
    std::vector<std::string> chart(lines, std::string(columns, ' '));
    for (auto l = all.rbegin(); l != all.rend(); ++l) // the first on top
        for (std::size_t column = 0; column < columns; ++column) {
            std::vector<curve_point> const& points = (*l)->curve();
            double const accuracy = points[column * points.size() / columns].mean.accuracy;
            auto const line = static_cast<std::size_t>(std::lround((1 - accuracy) * (lines - 1)));
            chart[line][column] = (*l)->learner_name().front();
        }
    std::string text = all.front()->task_name() + ", accuracy in % over steps:";
    for (lesson const* l : all)
        text += std::string("  ") + l->learner_name().front() + " = " + l->learner_name();
    text += '\n';
    for (std::size_t k = 0; k < lines; ++k) {
        std::string const mark = k % 5 == 0 ? std::to_string(100 - 10 * k) : "";
        chart[k].erase(chart[k].find_last_not_of(' ') + 1);
        text += std::string(4 - mark.size(), ' ') + mark + " |" + chart[k] + '\n';
    }
    std::string const last = std::to_string(all.front()->steps());
    return text + "     +" + std::string(columns, '-') + "\n      1" +
           std::string(columns - 1 - last.size(), ' ') + last + '\n';
}

/// One chart, its corner at x = `left`.
void draw(std::ostream& svg, curves const& all, double left) {
    constexpr double top = 40, width = 360, height = 220;
    char const* const colours[] = {"#0072b2", "#d55e00", "#555555"};
    auto const text = [&](double x, double y, char const* anchor, std::string const& words) {
        svg << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << words
            << "</text>\n";
    };
    text(left + width / 2, top - 16, "middle", all.front()->task_name() + ": accuracy over steps");
    for (int percent = 0; percent <= 100; percent += 25) {
        double const y = top + height * (1 - percent / 100.0);
        svg << "<line x1=\"" << left << "\" y1=\"" << y << "\" x2=\"" << left + width << "\" y2=\"" << y
            << "\" stroke=\"#dddddd\"/>\n";
        text(left - 6, y + 4, "end", std::to_string(percent) + "%");
    }
    text(left, top + height + 18, "start", "1");
    text(left + width, top + height + 18, "end", std::to_string(all.front()->steps()));
    auto const steps = static_cast<double>(all.front()->steps());
    double from = left;
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::string const colour = colours[k % std::size(colours)];
        svg << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
        for (curve_point const& p : all[k]->curve())
            svg << left + width * static_cast<double>(p.step) / steps << ','
                << top + height * (1 - p.mean.accuracy) << ' ';
        svg << "\"/>\n<line x1=\"" << from << "\" y1=\"300\" x2=\"" << from + 20
            << "\" y2=\"300\" stroke-width=\"2\" stroke=\"" << colour << "\"/>\n";
        text(from + 26, 304, "start", all[k]->learner_name());
        from += 120;
    }
}

} // namespace

std::string text_chart(std::deque<lesson> const& lessons) {
    std::string text;
    for (curves const& all : by_task(lessons))
        text += '\n' + text_chart_of(all);
    return text;
}

std::string picture(std::deque<lesson> const& lessons) {
    std::vector<curves> const tasks = by_task(lessons);
    std::ostringstream svg;
    svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << 440 * tasks.size() + 20
        << "\" height=\"320\" font-family=\"sans-serif\" font-size=\"12\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (std::size_t k = 0; k < tasks.size(); ++k)
        draw(svg, tasks[k], 60 + 440 * static_cast<double>(k));
    svg << "</svg>\n";
    return svg.str();
}

} // namespace recall
